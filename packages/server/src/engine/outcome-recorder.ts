import {
  type AttemptResult,
  alignResult,
  reduceResult,
} from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { Clock } from '@tradepost/domain/kernel/context';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { Logger } from 'pino';

/** How long a stopping worker retries. */
const retryLimitMs = 5_000;
const errorBackoffMs = 1_000;
const maxBatchSize = 128;

interface PendingResult {
  result: AttemptResult;
  /** What to record instead if the store rejects the result; undefined as long as it has not. */
  reduced?: AttemptResult[];
  resolve: () => void;
}

/** The dependencies of an `OutcomeRecorder`. */
export interface OutcomeRecorderDependencies {
  deliveries: Pick<DeliveryStore, 'recordAttempts'>;
  clock: Clock;
  log: Logger;
}

/**
 * Records attempt results in batches. Results gather as long as each turn of the event loop brings more, because a commit for
 * each would cost more than the attempt. A single result is written at once. While the store is unavailable, recording is
 * retried, so that an acknowledged delivery is not sent again. Of a result that the store rejects, less is recorded.
 */
export class OutcomeRecorder {
  readonly #dependencies: OutcomeRecorderDependencies;
  #pending: PendingResult[] = [];
  #working = false;
  #hasBacklog = false;
  #isRetryStopped = false;
  /** Times of `Clock.elapsed`. */
  #failingSince: number | null = null;
  #stoppingSince: number | null = null;
  #cancelPause: () => void = () => {};

  constructor(dependencies: OutcomeRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Whether results wait because the store was unavailable. A worker that leases deliveries meanwhile may send some again,
   * because the leases of the waiting results may have ended.
   */
  get hasBacklog(): boolean {
    return this.#hasBacklog;
  }

  /** For how long the store has been unavailable for results, in milliseconds; 0 if it is not. */
  get failingMs(): number {
    const { clock } = this.#dependencies;
    return this.#failingSince === null ? 0 : clock.elapsed() - this.#failingSince;
  }

  /** Resolves when the result is on disk or recording was abandoned. In the second case the lease ends and the attempt is repeated. */
  record(result: AttemptResult): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.push({ result, resolve });
      if (!this.#working) void this.#writeAll();
    });
  }

  /** From now on, an unavailable store is retried for five seconds only. */
  limitRetries(): void {
    this.#stoppingSince ??= this.#dependencies.clock.elapsed();
  }

  /** Stops retrying after one more try. */
  stopRetrying(): void {
    this.#isRetryStopped = true;
    this.#cancelPause();
  }

  async #writeAll(): Promise<void> {
    this.#working = true;
    while (this.#pending.length > 0) {
      await this.#takeBatch();
      const batch = this.#pending.splice(0, maxBatchSize);
      const failed = await this.#write(batch);
      for (const entry of batch) if (!failed.includes(entry)) entry.resolve();
      this.#pending = [...failed, ...this.#pending];
      this.#hasBacklog = failed.length > 0;
      if (this.#hasBacklog) await this.#pause();
    }
    this.#working = false;
  }

  async #takeBatch(): Promise<void> {
    for (let size = 0; size < this.#pending.length && size < maxBatchSize; ) {
      size = this.#pending.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** @returns The results to write again later. */
  async #write(batch: PendingResult[]): Promise<PendingResult[]> {
    const { deliveries, clock, log } = this.#dependencies;
    try {
      const now = clock.now();
      const results = batch.map(({ result }) => alignResult(result, now));
      await deliveries.recordAttempts(results, now);
      this.#failingSince = null;
      return [];
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        this.#failingSince ??= clock.elapsed();
        if (this.#mayRetry(this.#failingSince)) {
          log.error({ err: error }, 'recording attempts failed; retrying');
          return batch;
        }
        log.error({ err: error }, 'recording attempts failed; they will be repeated');
        // This was the last try: one for each waiting result would only delay the shutdown.
        for (const { resolve } of this.#pending.splice(0)) resolve();
        return [];
      }
      const [only] = batch;
      if (only !== undefined && batch.length === 1) return this.#writeReduced(only, error);
    }
    // A result that cannot be written must not block the others.
    const failed: PendingResult[] = [];
    for (const entry of batch) failed.push(...(await this.#write([entry])));
    return failed;
  }

  /** Records less of a result that the store rejects: otherwise its delivery would be made again and again. */
  async #writeReduced(entry: PendingResult, error: unknown): Promise<PendingResult[]> {
    const { log } = this.#dependencies;
    const { deliveryId } = entry.result;
    const [next, ...others] = entry.reduced ?? reduceResult(entry.result);
    if (next === undefined) {
      log.error({ err: error, deliveryId }, 'recording an attempt failed; it will be repeated');
      return [];
    }
    log.error({ err: error, deliveryId }, 'the store rejects a result; recording less of it');
    entry.result = next;
    entry.reduced = others;
    return this.#write([entry]);
  }

  #mayRetry(failingSince: number): boolean {
    if (this.#isRetryStopped) return false;
    if (this.#stoppingSince === null) return true;
    const since = Math.max(failingSince, this.#stoppingSince);
    return this.#dependencies.clock.elapsed() - since < retryLimitMs;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#dependencies.clock.schedule(errorBackoffMs, resolve);
      this.#cancelPause = () => {
        cancelTimer();
        resolve();
      };
    });
  }
}
