import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../clock';
import { AttemptSlots } from './attempt-slots';
import {
  type Attempt,
  afterAttempt,
  afterDeadline,
  afterInterruption,
  type ClaimedDelivery,
  isAcknowledged,
  leaseTime,
  type Outcome,
} from './delivery';
import type { DeliveryStore } from './delivery-store';
import { OutcomeRecorder } from './outcome-recorder';
import type { Sender } from './send';

const lookEvery = 1_000;
const napAfterFault = 1_000;

/** Is told of every attempt that was made to its end: what metrics are made of. */
export type AttemptListener = (
  delivery: ClaimedDelivery,
  attempt: Attempt,
  outcome: Outcome,
) => void;

/** What a worker works with. */
export interface DeliveryWorkerParts {
  deliveries: DeliveryStore;
  sender: Sender;
  clock: Clock;
  log: Logger;
  /** Numbers from 0 to below 1, for the jitter. */
  random: () => number;
  /** Milliseconds after which it looks for what other processes queued, which cannot wake it; 1 s unless told. */
  lookEvery?: number | undefined;
  onAttempt?: AttemptListener;
  /** Is told of every delivery that failed without an attempt, since its deadline had passed. */
  onGivenUp?: (delivery: ClaimedDelivery) => void;
}

/** Sends what is due, again and again, until it is stopped. */
export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts;
  readonly #recorder: OutcomeRecorder;
  readonly #slots = new AttemptSlots();
  readonly #underWay = new Set<Promise<void>>();
  #begun = false;
  #stopped = false;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #callOffNap: () => void = () => {};

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts;
    this.#recorder = new OutcomeRecorder(parts);
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
    this.#recorder.giveUp();
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
      // Attempts that end in one turn make room together, for one claim.
      await new Promise((done) => setImmediate(done));
      const now = clock.now();
      if (!this.#begun) await deliveries.beginAnew(now);
      this.#begun = true;
      if (this.#recorder.behind) return this.#nap(now + napAfterFault);
      const limit = this.#slots.free(now);
      if (limit === 0) return this.#nap(this.#slots.nextFreeAt());
      // A look is cheap and a claim writes: an idle worker must not.
      const dueAt = (await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY;
      if (dueAt > now) return this.#nap(dueAt);
      const claim = { now, leaseUntil: now + leaseTime, token: randomUUID(), limit };
      const due = await deliveries.claimDue(claim);
      for (const delivery of due) this.#take(delivery, now);
      // Fair shares may have left something.
      if (due.length > 0) this.#lookAgain = true;
      else this.#nap((await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      log.error({ err: error }, 'could not look for due deliveries; trying again');
      this.#nap(clock.now() + napAfterFault);
    }
  }

  #nap(until: number): void {
    if (this.#stopped) return;
    const { clock, lookEvery: longest = lookEvery } = this.#parts;
    const pause = Math.min(Math.max(until - clock.now(), 1), longest);
    this.#callOffNap();
    this.#callOffNap = clock.after(pause, () => this.wake());
  }

  #take(delivery: ClaimedDelivery, now: number): void {
    const giveBack = this.#slots.take(now);
    const work = this.#work(delivery).finally(() => {
      giveBack();
      this.#underWay.delete(work);
      this.wake();
    });
    this.#underWay.add(work);
  }

  async #work(delivery: ClaimedDelivery): Promise<void> {
    const { sender, clock, log, random, onAttempt, onGivenUp } = this.#parts;
    const about = { deliveryId: delivery.id, webhookId: delivery.webhookId };
    const tooLate = afterDeadline(delivery, clock.now());
    if (tooLate !== null) {
      await this.#recorder.record(tooLate);
      onGivenUp?.(delivery);
      log.warn(about, 'given up: the deadline passed before it could be tried again');
      return;
    }
    const attempt = await sender.send(delivery);
    if (attempt.error === 'stopped') {
      await this.#recorder.record(afterInterruption(delivery, clock.now()));
      log.info(about, 'attempt broken off by the stop; due again at once');
      return;
    }
    const outcome = afterAttempt(delivery, attempt, random);
    await this.#recorder.record(outcome);
    onAttempt?.(delivery, attempt, outcome);
    // A good day has thousands of these a second, and the delivery log keeps them all.
    const level = isAcknowledged(attempt) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const { status, error, duration } = attempt;
    const { state, number, nextAttemptAt } = outcome;
    log[level]({ ...about, state, number, status, error, duration, nextAttemptAt }, 'attempt');
  }
}
