import type { Clock } from '@tradepost/domain/kernel/context';

/** A clock that a test advances in steps: timers that are due run once, at the end of the step, as after a suspension. */
export class SteppedClock implements Clock {
  readonly #start: number;
  readonly #timers = new Set<{ due: number; work: () => void }>();
  readonly #waiting = new Set<() => void>();
  /** How many timers of each length were scheduled. */
  readonly #scheduled = new Map<number, number>();
  #now: number;

  /** @param now The time, in milliseconds since 1970. */
  constructor(now: number) {
    this.#start = now;
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#start;
  }

  schedule(milliseconds: number, work: () => void): () => void {
    const timer = { due: this.#now + milliseconds, work };
    this.#timers.add(timer);
    this.#scheduled.set(milliseconds, (this.#scheduled.get(milliseconds) ?? 0) + 1);
    for (const check of this.#waiting) check();
    return () => this.#timers.delete(timer);
  }

  /** Waits until so many timers of a length were scheduled in all, whether they are over or not. */
  untilScheduled(milliseconds: number, count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if ((this.#scheduled.get(milliseconds) ?? 0) < count) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Advances the clock by a number of milliseconds. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now);
    for (const timer of due.sort((one, other) => one.due - other.due)) {
      // A timer may cancel a later one.
      if (this.#timers.delete(timer)) timer.work();
    }
  }
}
