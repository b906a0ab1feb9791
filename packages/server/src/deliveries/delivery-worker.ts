import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../clock';
import {
  afterAttempt,
  afterDeadline,
  afterInterruption,
  type ClaimedDelivery,
  leaseTime,
} from './delivery';
import type { DeliveryStore } from './delivery-store';
import type { Sender } from './send';

const attemptsAtOnce = 64;
const longestNap = 1_000;
const napAfterFault = 1_000;

/** What a worker works with. */
export interface DeliveryWorkerParts {
  deliveries: DeliveryStore;
  sender: Sender;
  clock: Clock;
  log: Logger;
  /** Numbers from 0 to below 1, for the jitter. */
  random: () => number;
}

/** Sends what is due, again and again, until it is stopped. */
export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts;
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #callOffNap: () => void = () => {};

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts;
  }

  /** Looks for due deliveries at once: call it when some were queued. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#callOffNap();
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      if (this.#lookAgain) {
        this.#lookAgain = false;
        this.wake();
      }
    });
  }

  /** Takes no more work and waits for the attempts that are under way, `patience` milliseconds at most. */
  async stop(patience: number): Promise<void> {
    this.#stopped = true;
    this.#callOffNap();
    let callOff = () => {};
    const patienceEnds = new Promise<void>((end) => {
      callOff = this.#parts.clock.after(patience, end);
    });
    await Promise.race([this.#settle(), patienceEnds]);
    callOff();
    await this.#parts.sender.close();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    // A claim that is under way still brings attempts.
    await this.#looking;
    await Promise.all(this.#underWay);
  }

  async #look(): Promise<void> {
    const { deliveries, clock, log } = this.#parts;
    try {
      const limit = attemptsAtOnce - this.#underWay.size;
      // Without room left there is no nap: the end of an attempt makes room, and looks again.
      if (limit === 0) return;
      const now = clock.now();
      const claim = { now, leaseUntil: now + leaseTime, token: randomUUID(), limit };
      const due = await deliveries.claimDue(claim);
      for (const delivery of due) this.#attempt(delivery);
      if (due.length === limit) return;
      this.#nap((await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      log.error({ err: error }, 'could not look for due deliveries; trying again');
      this.#nap(clock.now() + napAfterFault);
    }
  }

  #nap(until: number): void {
    if (this.#stopped) return;
    const { clock } = this.#parts;
    // Other processes queue deliveries too and cannot wake this one, so no nap is long.
    const pause = Math.min(Math.max(until - clock.now(), 1), longestNap);
    this.#callOffNap();
    this.#callOffNap = clock.after(pause, () => this.wake());
  }

  #attempt(delivery: ClaimedDelivery): void {
    const work = this.#sendAndRecord(delivery).finally(() => {
      this.#underWay.delete(work);
      this.wake();
    });
    this.#underWay.add(work);
  }

  async #sendAndRecord(delivery: ClaimedDelivery): Promise<void> {
    const { deliveries, sender, clock, log, random } = this.#parts;
    const about = { deliveryId: delivery.id, webhookId: delivery.webhookId };
    try {
      const tooLate = afterDeadline(delivery, clock.now());
      if (tooLate !== null) {
        await deliveries.recordAttempts([tooLate]);
        log.warn(about, 'given up: the deadline passed before it could be tried again');
        return;
      }
      const attempt = await sender.send(delivery);
      if (attempt.error === 'stopped') {
        await deliveries.recordAttempts([afterInterruption(delivery, clock.now())]);
        log.info(about, 'attempt broken off by the stop; due again at once');
        return;
      }
      const outcome = afterAttempt(delivery, attempt, random);
      await deliveries.recordAttempts([outcome]);
      const { status, error, duration } = attempt;
      const { state, number, nextAttemptAt } = outcome;
      log.info({ ...about, state, number, status, error, duration, nextAttemptAt }, 'attempt');
    } catch (error) {
      // The claim runs out and the delivery is made again: at least once, never lost.
      log.error({ ...about, err: error }, 'could not record an attempt');
    }
  }
}
