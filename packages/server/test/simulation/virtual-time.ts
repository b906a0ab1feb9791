/** Work that is scheduled for a time. */
export interface Timer {
  /** In milliseconds since the start, independent of the clock. */
  due: number;
  work: () => void;
}

/** Virtual time: it jumps from one timer to the next. */
export class VirtualTime {
  readonly #timers = new Set<Timer>();
  #origin: number;
  #elapsed = 0;

  /** @param start The time of the system clock at the start, in milliseconds since 1970. */
  constructor(start: number) {
    this.#origin = start;
  }

  /** Milliseconds since the start. Never decreases. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** The time of the system clock, in milliseconds since 1970. */
  now(): number {
    return this.#origin + this.#elapsed;
  }

  /** Sets the system clock forward, or back by a negative number of milliseconds. No time passes. */
  setClock(by: number): void {
    this.#origin += by;
  }

  /** Schedules `work`. */
  schedule(milliseconds: number, work: () => void): Timer {
    const timer = { due: this.#elapsed + milliseconds, work };
    this.#timers.add(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.#timers.delete(timer);
  }

  /** Returns when the next timer is due, except the given ones; infinity if there is none. */
  nextDue(except: ReadonlySet<Timer> = new Set()): number {
    let next = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) {
      if (timer.due < next && !except.has(timer)) next = timer.due;
    }
    return next;
  }

  /** Advances to the next timer and runs everything that is due then, in the order of scheduling. */
  step(): void {
    const next = this.nextDue();
    if (next === Number.POSITIVE_INFINITY) throw new Error('No timer is left.');
    this.#elapsed = next;
    for (const timer of [...this.#timers]) {
      // Earlier work may cancel later work.
      if (timer.due > next || !this.#timers.delete(timer)) continue;
      timer.work();
    }
  }
}
