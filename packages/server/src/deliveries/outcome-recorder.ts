import type { Logger } from 'pino';
import type { Clock } from '../clock';
import { StoreUnavailableError } from '../store-unavailable-error';
import { alignOutcome, type Outcome } from './delivery';
import type { DeliveryStore } from './delivery-store';

const pauseAfterFault = 1_000;
const batchAtMost = 128;

interface Waiting {
  outcome: Outcome;
  done: () => void;
}

/** What a recorder works with. */
export interface OutcomeRecorderParts {
  deliveries: Pick<DeliveryStore, 'recordAttempts'>;
  clock: Clock;
  log: Logger;
}

/**
 * Records outcomes in batches: as long as each turn of the event loop brings more, they gather, since a
 * commit for each would cost more than the sending. One that comes alone is written at once. A store that cannot be reached
 * is asked again until it can: what a receiver acknowledged is not sent again for that.
 */
export class OutcomeRecorder {
  readonly #parts: OutcomeRecorderParts;
  #waiting: Waiting[] = [];
  #working = false;
  #behind = false;
  #givenUp = false;
  #callOffPause: () => void = () => {};

  constructor(parts: OutcomeRecorderParts) {
    this.#parts = parts;
  }

  /**
   * Whether the store could not be reached and outcomes wait for it. Who claims more meanwhile sends again
   * what was sent already: the leases of what waits here may have ended.
   */
  get behind(): boolean {
    return this.#behind;
  }

  /** Fulfils once the outcome is on disk, or is given up: then its lease runs out and the delivery is made again. */
  record(outcome: Outcome): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ outcome, done });
      if (!this.#working) void this.#workOff();
    });
  }

  /** Asks a store that cannot be reached once more, and then no more. */
  giveUp(): void {
    this.#givenUp = true;
    this.#callOffPause();
  }

  async #workOff(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#waiting.splice(0, batchAtMost);
      const left = await this.#write(batch);
      for (const one of batch) if (!left.includes(one)) one.done();
      this.#waiting = [...left, ...this.#waiting];
      this.#behind = left.length > 0;
      if (this.#behind) await this.#pause();
    }
    this.#working = false;
  }

  async #gather(): Promise<void> {
    for (let known = 0; known < this.#waiting.length && known < batchAtMost; ) {
      known = this.#waiting.length;
      await new Promise((done) => setImmediate(done));
    }
  }

  /** @returns What is to be written once more, later. */
  async #write(batch: Waiting[]): Promise<Waiting[]> {
    const { deliveries, clock, log } = this.#parts;
    try {
      const now = clock.now();
      const outcomes = batch.map(({ outcome }) => alignOutcome(outcome, now));
      await deliveries.recordAttempts(outcomes, now);
      return [];
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        if (!this.#givenUp) {
          log.error({ err: error }, 'could not record attempts; trying again');
          return batch;
        }
        log.error({ err: error }, 'could not record attempts; they will be made again');
        // It had its last chance: to ask for each that waits would only hold up the stop.
        for (const { done } of this.#waiting.splice(0)) done();
        return [];
      }
      if (batch.length === 1) {
        const [deliveryId] = batch.map(({ outcome }) => outcome.deliveryId);
        log.error({ err: error, deliveryId }, 'could not record an attempt; it will be made again');
        return [];
      }
    }
    // One that cannot be written must not take the others along.
    const left: Waiting[] = [];
    for (const one of batch) left.push(...(await this.#write([one])));
    return left;
  }

  #pause(): Promise<void> {
    return new Promise((goOn) => {
      const callOff = this.#parts.clock.after(pauseAfterFault, goOn);
      this.#callOffPause = () => {
        callOff();
        goOn();
      };
    });
  }
}
