import type { Clock } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';

const windowMs = 1_000;

/** Limits how many requests are logged one by one in a second, and logs how many were not. */
export class LogSampler {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #perSecond: number;
  #windowEnd = Number.NEGATIVE_INFINITY;
  #taken = 0;
  #skipped = new Map<number, number>();

  /** @param perSecond How many requests are logged in a second. */
  constructor(log: Logger, clock: Clock, perSecond: number) {
    this.#log = log;
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Returns whether to log a request with this status. */
  take(status: number): boolean {
    const now = this.#clock.elapsed();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + windowMs;
      this.#taken = 0;
    }
    this.#taken += 1;
    if (this.#taken <= this.#perSecond) return true;
    if (this.#skipped.size === 0) this.#clock.schedule(windowMs, () => this.flush());
    this.#skipped.set(status, (this.#skipped.get(status) ?? 0) + 1);
    return false;
  }

  /** Logs how many requests were not logged since the last time. Call it when the server stops. */
  flush(): void {
    if (this.#skipped.size === 0) return;
    const byStatus = Object.fromEntries(this.#skipped);
    this.#skipped = new Map();
    const requests = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
    this.#log.info({ requests, byStatus }, 'requests not logged one by one');
  }
}
