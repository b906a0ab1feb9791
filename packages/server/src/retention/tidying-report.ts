import type { Logger } from 'pino';
import type { Clock } from '../clock';

/** Milliseconds for which counts are gathered while there is no end of the work. */
const logEvery = 60_000;

/** Counts what was done and logs it: when all is done, and once a minute meanwhile. */
export class TidyingReport {
  readonly #clock: Clock;
  readonly #log: Logger;
  #counts: Record<string, number> = {};
  #since = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Counts things that were seen to. */
  add(what: string, count: number): void {
    if (count === 0) return;
    if (Object.keys(this.#counts).length === 0) this.#since = this.#clock.now();
    this.#counts[what] = (this.#counts[what] ?? 0) + count;
  }

  /** Logs what was counted if a minute has passed since the first of it. */
  flushIfDue(): void {
    const passed = this.#clock.now() - this.#since;
    // A clock that was set back must not put it off.
    if (passed >= logEvery || passed < 0) this.flush();
  }

  /** Logs what was counted, and nothing when nothing was. */
  flush(): void {
    if (Object.keys(this.#counts).length === 0) return;
    this.#log.info(this.#counts, 'tidied up');
    this.#counts = {};
  }
}
