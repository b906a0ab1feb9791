import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Clock, clockTolerance } from '../clock';
import { AttemptSlots } from './attempt-slots';
import {
  type Attempt,
  afterAttempt,
  afterDeadline,
  afterInterruption,
  alignAttempt,
  type ClaimedDelivery,
  isAcknowledged,
  isLocalShortage,
  leaseTime,
  longestPostponement,
  type Outcome,
} from './delivery';
import type { DeliveryStore } from './delivery-store';
import { OutcomeRecorder } from './outcome-recorder';
import type { Sender } from './send';

const lookEvery = 1_000;
const napAfterFault = 1_000;

/** A change that was decided before the clock was set is committed by then, whatever lock it waited for. */
const adjustAgainAfter = 5_000;

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
  /** How many attempts may be in flight at once; 2,000 by default. */
  maxAttempts?: number | undefined;
  onAttempt?: AttemptListener;
  /** Is told of every delivery that failed without an attempt, since its deadline had passed. */
  onGivenUp?: (delivery: ClaimedDelivery) => void;
}

/** Sends what is due, again and again, until it is stopped. */
export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts;
  readonly #recorder: OutcomeRecorder;
  readonly #slots: AttemptSlots;
  readonly #underWay = new Set<Promise<void>>();
  #seen: { now: number; elapsed: number };
  /** No claim before this time of `Clock.elapsed`: this machine has no sockets left. */
  #shortUntil = Number.NEGATIVE_INFINITY;
  #adjustAgainAt = Number.POSITIVE_INFINITY;
  #begun = false;
  #stopped = false;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #callOffNap: () => void = () => {};

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts;
    this.#recorder = new OutcomeRecorder(parts);
    this.#slots = new AttemptSlots(parts.maxAttempts);
    this.#seen = { now: parts.clock.now(), elapsed: parts.clock.elapsed() };
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
      await this.#followClock();
      const now = clock.now();
      if (!this.#begun) await deliveries.beginAnew(now);
      this.#begun = true;
      if (this.#recorder.behind) return this.#nap(now + napAfterFault);
      const shortFor = this.#shortUntil - clock.elapsed();
      if (shortFor > 0) return this.#nap(now + shortFor);
      const limit = this.#slots.free(clock.elapsed());
      if (limit === 0) return this.#nap(now + this.#slots.nextFreeAt() - clock.elapsed());
      // A look is cheap and a claim writes: an idle worker must not.
      const dueAt = (await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY;
      if (dueAt > now) return this.#nap(dueAt);
      const claim = { now, leaseUntil: now + leaseTime, token: randomUUID(), limit };
      const due = await deliveries.claimDue(claim);
      for (const delivery of due) this.#take(delivery);
      // Fair shares may have left something.
      if (due.length > 0) this.#lookAgain = true;
      else this.#nap((await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      log.error({ err: error }, 'could not look for due deliveries; trying again');
      this.#nap(clock.now() + napAfterFault);
    }
  }

  /** Has the store adjust what waits when the clock was set, before anything is decided by it. */
  async #followClock(): Promise<void> {
    const { deliveries, clock, log } = this.#parts;
    const { now: nowThen, elapsed: elapsedThen } = this.#seen;
    const seen = { now: clock.now(), elapsed: clock.elapsed() };
    const expected = nowThen + seen.elapsed - elapsedThen;
    const jump = Math.round(seen.now - expected);
    if (Math.abs(jump) > clockTolerance) {
      log.warn({ jump }, 'the clock was set; adjusting what waits');
      await deliveries.adjustToClock({ expected, now: seen.now });
      this.#adjustAgainAt = seen.elapsed + adjustAgainAfter;
    } else if (seen.elapsed >= this.#adjustAgainAt) {
      await deliveries.adjustToClock({ expected: seen.now, now: seen.now });
      this.#adjustAgainAt = Number.POSITIVE_INFINITY;
    }
    this.#seen = seen;
  }

  #nap(until: number): void {
    if (this.#stopped) return;
    const { clock, lookEvery: longest = lookEvery } = this.#parts;
    const pause = Math.min(Math.max(until - clock.now(), 1), longest);
    this.#callOffNap();
    this.#callOffNap = clock.after(pause, () => this.wake());
  }

  #take(delivery: ClaimedDelivery): void {
    const giveBack = this.#slots.take(this.#parts.clock.elapsed());
    const work = this.#work(delivery)
      .catch((error: unknown) => {
        // A fault of ours: the lease ends, and the delivery is made again.
        const { id: deliveryId, webhookId } = delivery;
        this.#parts.log.error({ err: error, deliveryId, webhookId }, 'could not make an attempt');
      })
      .finally(() => {
        giveBack();
        this.#underWay.delete(work);
        this.wake();
      });
    this.#underWay.add(work);
  }

  async #work(delivery: ClaimedDelivery): Promise<void> {
    const { sender, clock, log, random } = this.#parts;
    const about = { deliveryId: delivery.id, webhookId: delivery.webhookId };
    const tooLate = afterDeadline(delivery, clock.now());
    if (tooLate !== null) {
      await this.#recorder.record(tooLate);
      this.#parts.onGivenUp?.(delivery);
      log.warn(about, 'given up: the deadline passed before it could be tried again');
      return;
    }
    const attempt = alignAttempt(await sender.send(delivery), clock.now());
    if (attempt.error === 'stopped') {
      await this.#recorder.record(afterInterruption(delivery, clock.now()));
      log.info(about, 'attempt broken off by the stop; due again at once');
      return;
    }
    if (attempt.error === 'out_of_sockets') this.#pauseForSockets();
    if (isLocalShortage(attempt)) return this.#postpone(delivery);
    const outcome = afterAttempt(delivery, attempt, random);
    await this.#recorder.record(outcome);
    this.#report(delivery, attempt, outcome);
  }

  /** Pauses all deliveries: none finds a socket. */
  #pauseForSockets(): void {
    const { clock, log } = this.#parts;
    // One line and one pause for all that fail together.
    if (this.#shortUntil <= clock.elapsed()) {
      const inFlight = this.#slots.inFlight;
      log.error(
        { inFlight },
        'out of sockets or file descriptors; pausing deliveries for a second',
      );
    }
    this.#shortUntil = clock.elapsed() + longestPostponement;
  }

  /** Tries again in a second what this machine had no socket or port for: the receiver was not even called. */
  #postpone(delivery: ClaimedDelivery): Promise<void> {
    const again = this.#parts.clock.now() + longestPostponement;
    return this.#recorder.record(afterInterruption(delivery, again));
  }

  #report(delivery: ClaimedDelivery, attempt: Attempt, outcome: Outcome): void {
    const { log } = this.#parts;
    this.#parts.onAttempt?.(delivery, attempt, outcome);
    // A good day has thousands of these a second, and the delivery log keeps them all.
    const level = isAcknowledged(attempt) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const { id: deliveryId, webhookId } = delivery;
    const { status, error, duration } = attempt;
    const { state, number, nextAttemptAt } = outcome;
    const line = { deliveryId, webhookId, state, number, status, error, duration, nextAttemptAt };
    log[level](line, 'attempt');
  }
}
