import type { Clock } from '../../src/kernel/context';
import { noon } from './builders';

interface Timer {
  /** In elapsed milliseconds, independent of the time that the clock shows. */
  due: number;
  work: () => void;
}

/** A clock that only a test advances. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  #passed = 0;
  #shown: number;

  constructor(now = noon) {
    this.#shown = now;
  }

  now(): number {
    return this.#shown;
  }

  elapsed(): number {
    return this.#passed;
  }

  schedule(milliseconds: number, work: () => void): () => void {
    const timer = { due: this.#passed + milliseconds, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** The number of pending timers; 0 once everything has stopped. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass. Timers run in order, each at its own time; their effects settle before the next one. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#passed + milliseconds;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#pass(timer.due);
      timer.work();
      await settle();
    }
    this.#pass(end);
  }

  /** Sets the clock, as a correction of the system clock does. No time passes for timers. */
  set(now: number): void {
    this.#shown = now;
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= end);
    return due.sort((one, other) => one.due - other.due)[0];
  }

  #pass(until: number): void {
    this.#shown += until - this.#passed;
    this.#passed = until;
  }
}

const settleTurns = 20;

/** Runs everything that does not wait for a timer: a commit, its effects, and so on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < settleTurns; turn += 1) {
    await new Promise((done) => setImmediate(done));
  }
}

/** Settles until a condition is met. Throws if it is not met after 5,000 times. */
export async function settleUntil(isMet: () => boolean): Promise<void> {
  for (let count = 0; count < 5_000; count += 1) {
    if (isMet()) return;
    await settle();
  }
  throw new Error(`Never met: ${isMet}`);
}
