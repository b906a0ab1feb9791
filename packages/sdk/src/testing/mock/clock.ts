/** When a mock starts, unless its option `now` says otherwise. */
const defaultStart = '2026-11-21T09:30:00.000Z';

/** What the option `now` of a mock accepts. */
export type MockTime = string | Date | (() => Date | number);

/** The digits of IDs, in the order of their values. Source: ULID specification. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = `${digits[rest % digits.length]}${text}`;
  }
  return text;
}

/** The clock of a mock, and its IDs, which sort by it. It only moves when a test moves it. */
export class MockClock {
  readonly #read: () => number;
  readonly #listeners = new Set<() => void>();
  #offset = 0;
  #latest = 0;
  readonly #counts = new Map<string, number>();

  /** @throws {TypeError} when the time is not valid. */
  constructor(time: MockTime = defaultStart) {
    const start = typeof time === 'function' ? 0 : new Date(time).getTime();
    this.#read = typeof time === 'function' ? () => Number(time()) : () => start;
    if (Number.isNaN(this.now())) {
      throw new TypeError(
        `now is not a valid time: pass a Date, a text such as ${defaultStart}, or a function that returns one.`,
      );
    }
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.#read() + this.#offset;
  }

  /** Returns the time, or one that is some milliseconds later: ISO 8601, UTC, with milliseconds. */
  timestamp(later = 0): string {
    return new Date(this.now() + later).toISOString();
  }

  /** Advances the clock, and notifies those who wait for a time. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) {
      throw new TypeError(`advance takes milliseconds of at least 0 (got ${milliseconds}).`);
    }
    this.#offset += milliseconds;
    for (const notify of [...this.#listeners]) notify();
  }

  /** Calls a function after each advance. Returns the function that ends it. */
  onAdvance(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates an ID such as `ord_01M7YQ1WE00000000000000001`. The IDs of a prefix increase, and are the same in each mock. */
  newId(prefix: string): string {
    this.#latest = Math.max(this.#latest, this.now());
    const count = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, count);
    return `${prefix}_${encode(this.#latest, 10)}${encode(count, 16)}`;
  }
}
