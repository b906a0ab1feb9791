import type { Arrival } from './operation-log';
import type { BookedDelivery } from './recorded-state';

/** Longer than a lease: when nothing has come for so many milliseconds, nothing more will. */
const longestSilence = 60_000;

/** Knows which deliveries a run of the server has made, and waits for the rest of them. */
export class Drain {
  readonly #made = new Set<string>();
  #look: () => void = () => {};

  /** Takes note of a delivery that a receiver acknowledged. */
  note({ run, eventId, webhookId }: Arrival): void {
    this.#made.add(`${run} ${eventId} ${webhookId}`);
    this.#look();
  }

  /**
   * Waits until one run has made all of some deliveries. Before it gives up on the rest, as nothing
   * arrives any more, it waits a minute: what is missing then is lost, which is for the audit to say.
   */
  untilMade(deliveries: BookedDelivery[], run: number): Promise<void> {
    const left = new Set(deliveries.map((one) => `${run} ${one.eventId} ${one.webhookId}`));
    return new Promise((done) => {
      const givingUp = setTimeout(done, longestSilence);
      this.#look = () => {
        givingUp.refresh();
        for (const made of this.#made) left.delete(made);
        this.#made.clear();
        if (left.size > 0) return;
        clearTimeout(givingUp);
        done();
      };
      this.#look();
    });
  }
}
