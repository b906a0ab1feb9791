/** Something that is to happen at a time. */
export interface Timer {
  /** In milliseconds that have passed since the beginning, whatever the clock shows. */
  due: number;
  work: () => void;
}

/** Time that passes as fast as it can: from one time at which something happens to the next. */
export class VirtualTime {
  readonly #timers = new Set<Timer>();
  #origin: number;
  #elapsed = 0;

  /** @param start What the system clock shows at the beginning, in milliseconds since 1970. */
  constructor(start: number) {
    this.#origin = start;
  }

  /** Milliseconds since the beginning. Never goes back. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** What the system clock shows, in milliseconds since 1970. */
  now(): number {
    return this.#origin + this.#elapsed;
  }

  /** Sets the system clock forward, or back by a negative number of milliseconds: no time passes. */
  setClock(by: number): void {
    this.#origin += by;
  }

  /** Has `work` done once this much time has passed. */
  after(milliseconds: number, work: () => void): Timer {
    const timer = { due: this.#elapsed + milliseconds, work };
    this.#timers.add(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.#timers.delete(timer);
  }

  /** When the next of these timers is due, or of all but these; infinite when there is none. */
  nextDue(except: ReadonlySet<Timer> = new Set()): number {
    let next = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) {
      if (timer.due < next && !except.has(timer)) next = timer.due;
    }
    return next;
  }

  /** Continues to the next time and does all that is due then, in the order in which it was asked for. */
  step(): void {
    const next = this.nextDue();
    if (next === Number.POSITIVE_INFINITY) throw new Error('Nothing is to happen any more.');
    this.#elapsed = next;
    for (const timer of [...this.#timers]) {
      // What is done first may call off what comes after it.
      if (timer.due > next || !this.#timers.delete(timer)) continue;
      timer.work();
    }
  }
}
