import type { Arrival } from './operation-log';
import type { RecordedDelivery } from './recorded-state';

/** Longer than a lease: after so many milliseconds without an arrival, no more deliveries are expected. */
const idleTimeoutMs = 60_000;

/** Tracks which deliveries a run of the server has made, and waits for the rest of them. */
export class Drain {
  readonly #delivered = new Set<string>();
  #check: () => void = () => {};

  /** Records a delivery that a receiver acknowledged. */
  recordDelivery({ run, eventId, webhookId }: Arrival): void {
    this.#delivered.add(`${run} ${eventId} ${webhookId}`);
    this.#check();
  }

  /**
   * Waits until one run has made all of these deliveries, or nothing has arrived for a minute. The audit
   * reports those that are missing then.
   */
  waitForAll(deliveries: RecordedDelivery[], run: number): Promise<void> {
    const left = new Set(
      deliveries.map(({ eventId, webhookId }) => `${run} ${eventId} ${webhookId}`),
    );
    return new Promise((done) => {
      const timeout = setTimeout(done, idleTimeoutMs);
      this.#check = () => {
        timeout.refresh();
        for (const delivered of this.#delivered) left.delete(delivered);
        this.#delivered.clear();
        if (left.size > 0) return;
        clearTimeout(timeout);
        done();
      };
      this.#check();
    });
  }
}
