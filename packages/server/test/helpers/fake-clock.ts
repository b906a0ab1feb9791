import type { Clock } from '../../src/kernel/context';
import { noon } from './builders';

interface Timer {
  /** In milliseconds that passed on this clock, whatever time it shows. */
  due: number;
  work: () => void;
}

/** A clock that stands still until a test moves it. */
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

  /** How many timers are set: none once everything has stopped. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass. Timers run in their order, each at its own time, with what they set off done before the next. */
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

  /** Sets the clock to another time, as a correction of the system clock does: no time passes for timers. */
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

const priority = 20;

/** Lets everything run that waits for nothing but its turn: a change that is committed, what that sets off, and so on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < priority; turn += 1) {
    await new Promise((done) => setImmediate(done));
  }
}
