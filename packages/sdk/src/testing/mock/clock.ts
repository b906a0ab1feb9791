import {
  type Clock,
  createIdGenerator,
  type IdGenerator,
  type IdPrefix,
} from '@tradepost/domain/kernel/context';

/** When a mock starts, unless its option `now` says otherwise. */
const defaultStart = '2026-11-21T09:30:00.000Z';

/** What the option `now` of a mock accepts. */
export type MockTime = string | Date | (() => Date | number);

/** The clock of a mock, and its IDs, which are the same in each mock. It only moves when a test moves it. */
export class MockClock implements Clock {
  /** So that a change after a list by time gets a later time than the list returned. */
  readonly isReal = true;
  readonly #read: () => number;
  readonly #listeners = new Set<() => void>();
  /** One for each prefix, so that the first order has the same ID whatever else there is. */
  readonly #generators = new Map<string, IdGenerator>();
  #offset = 0;

  /** @throws {TypeError} when the time is not valid. */
  constructor(time: MockTime = defaultStart) {
    const start = typeof time === 'function' ? 0 : new Date(time).getTime();
    this.#read = typeof time === 'function' ? () => Number(time()) : () => start;
    if (!(this.now() >= 0)) {
      throw new TypeError(
        `now is not a valid time from 1970 on: pass a Date, a text such as ${defaultStart}, or a function that returns one.`,
      );
    }
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#read() + this.#offset);
  }

  /** Returns the same as `now`. */
  elapsed(): number {
    return this.now();
  }

  /** Runs work when the time is over by this clock or by that of the runtime, whichever is first. */
  schedule(milliseconds: number, work: () => void): () => void {
    const due = this.now() + milliseconds;
    const cancel = () => {
      clearTimeout(timer);
      this.#listeners.delete(check);
    };
    const run = () => {
      cancel();
      work();
    };
    const check = () => {
      if (this.now() >= due) run();
    };
    const timer = setTimeout(run, milliseconds);
    this.#listeners.add(check);
    return cancel;
  }

  /** Advances the clock, and notifies those who wait for a time. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) {
      throw new TypeError(`advance takes milliseconds of at least 0 (got ${milliseconds}).`);
    }
    this.#offset += milliseconds;
    for (const notify of [...this.#listeners]) notify();
  }

  /** Creates an ID such as `ord_01M7YQ1WE00000000000000000`, which is later than those of its prefix before. */
  readonly newId = (prefix: string, now = this.now()): string => {
    const generator = this.#generators.get(prefix) ?? createIdGenerator(() => 0);
    this.#generators.set(prefix, generator);
    // IDs have no time before 1970.
    return generator(prefix as IdPrefix, Math.max(1, now));
  };
}
