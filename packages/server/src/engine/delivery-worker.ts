import { randomBytes } from 'node:crypto';
import {
  type Attempt,
  type AttemptResult,
  alignAttempt,
  isAcknowledged,
  isLocalShortage,
  type LeasedDelivery,
  leaseMs,
  maxPostponementMs,
  resolveAttempt,
  resolveExpired,
  resolveInterrupted,
} from '@tradepost/domain/deliveries/delivery';
import type {
  DeliveryStore,
  WorkerRegistration,
} from '@tradepost/domain/deliveries/delivery-store';
import { type Clock, clockTolerance } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';
import type { Sender } from './attempt/send';
import { OutcomeRecorder } from './outcome-recorder';

const defaultPollIntervalMs = 1_000;
const errorBackoffMs = 1_000;

/** How long after a clock change it is adjusted to again: changes decided before it are committed by then. */
const readjustAfterMs = 5_000;

/** How long a poll may take at most, in milliseconds, with all that it waits for in the store. */
const pollTimeoutMs = 15_000;

/** How often a worker checks whether others have died, in milliseconds. */
const takeoverIntervalMs = 1_000;

/** Called after every completed attempt. Metrics use it. */
export type AttemptListener = (
  delivery: LeasedDelivery,
  attempt: Attempt,
  result: AttemptResult,
) => void;

/** The dependencies of a `DeliveryWorker`. */
export interface DeliveryWorkerDependencies {
  deliveries: DeliveryStore;
  sender: Sender;
  clock: Clock;
  log: Logger;
  /** Returns numbers from 0 to below 1, for the jitter. */
  random: () => number;
  /**
   * How often to poll for deliveries that other processes queued, which cannot wake this worker, in milliseconds.
   * @default 1000
   */
  pollIntervalMs?: number | undefined;
  /**
   * How many attempts may be in flight at once.
   * @default 2000
   */
  maxAttempts?: number | undefined;
  onAttempt?: AttemptListener;
  /** Called after every delivery that failed without an attempt because its deadline had passed. */
  onExpired?: (delivery: LeasedDelivery) => void;
}

/** Leases due deliveries and attempts them until it is stopped. */
export class DeliveryWorker {
  readonly #dependencies: DeliveryWorkerDependencies;
  readonly #recorder: OutcomeRecorder;
  readonly #slots: ConcurrencyLimiter;
  readonly #inFlight = new Set<Promise<void>>();
  #lastClockReading: { now: number; elapsed: number };
  /** Leases nothing before this time of `Clock.elapsed`, because this machine had no sockets left. */
  #socketPauseUntil = Number.NEGATIVE_INFINITY;
  #readjustAt = Number.POSITIVE_INFINITY;
  #lastPolledAt: number;
  /** Since when polls have failed: a time of `Clock.elapsed`. */
  #failingSince: number | null = null;
  #started = false;
  #registration: WorkerRegistration | null = null;
  /** A time of `Clock.elapsed`. */
  #takeoverAt = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #polling: Promise<void> | null = null;
  #pollAgain = false;
  #cancelNextPoll: () => void = () => {};

  constructor(dependencies: DeliveryWorkerDependencies) {
    const { clock, maxAttempts } = dependencies;
    this.#dependencies = dependencies;
    this.#recorder = new OutcomeRecorder(dependencies);
    this.#slots = new ConcurrencyLimiter(maxAttempts);
    this.#lastPolledAt = clock.elapsed();
    this.#lastClockReading = { now: clock.now(), elapsed: clock.elapsed() };
  }

  /** Whether it polls for deliveries: false if a poll does not end, or if no other one was started. */
  get isPolling(): boolean {
    return this.#dependencies.clock.elapsed() - this.#lastPolledAt < pollTimeoutMs;
  }

  /**
   * For how long the store has kept it from leasing deliveries or from recording their results, in milliseconds; 0 if it does not.
   */
  get blockedMs(): number {
    const now = this.#dependencies.clock.elapsed();
    return Math.max(this.#recorder.failingMs, now - (this.#failingSince ?? now));
  }

  /** Polls for due deliveries at once. Call it when deliveries were queued. */
  readonly wake = (): void => {
    if (this.#stopped) return;
    if (this.#polling) {
      this.#pollAgain = true;
      return;
    }
    this.#cancelNextPoll();
    this.#polling = this.#poll().finally(() => {
      this.#polling = null;
      this.#lastPolledAt = this.#dependencies.clock.elapsed();
      if (this.#pollAgain) {
        this.#pollAgain = false;
        this.wake();
      }
    });
  };

  /**
   * Leases nothing more and waits for the attempts in flight, up to `timeoutMs`; for a store that is unavailable, up to five
   * seconds. Then it interrupts them.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopped = true;
    this.#cancelNextPoll();
    this.#recorder.limitRetries();
    let cancelTimeout = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancelTimeout = this.#dependencies.clock.schedule(timeoutMs, resolve);
    });
    await Promise.race([this.#drain(), timeout]);
    cancelTimeout();
    this.#recorder.stopRetrying();
    await this.#dependencies.sender.close();
    await this.#drain();
    await this.#unregister();
  }

  async #drain(): Promise<void> {
    // A poll in flight may still start attempts.
    await this.#polling;
    await Promise.all(this.#inFlight);
  }

  async #poll(): Promise<void> {
    const { clock, log } = this.#dependencies;
    try {
      await this.#startDue();
      this.#failingSince = null;
    } catch (error) {
      this.#failingSince ??= clock.elapsed();
      log.error({ err: error }, 'polling for deliveries failed; retrying');
      this.#scheduleNextPoll(clock.now() + errorBackoffMs);
    }
  }

  /** Starts the attempts that may start now, and schedules the next poll. */
  async #startDue(): Promise<void> {
    const { deliveries, clock } = this.#dependencies;
    // Attempts that end in one turn of the event loop free their slots together, for one lease request.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#followClock();
    const now = clock.now();
    this.#registration ??= await deliveries.registerWorker();
    await this.#takeOver(now);
    if (!this.#started) await deliveries.resetStaleLeases(now);
    this.#started = true;
    if (this.#recorder.hasBacklog) return this.#scheduleNextPoll(now + errorBackoffMs);
    const socketPauseMs = this.#socketPauseUntil - clock.elapsed();
    if (socketPauseMs > 0) return this.#scheduleNextPoll(now + socketPauseMs);
    const limit = this.#slots.free(clock.elapsed());
    if (limit === 0)
      return this.#scheduleNextPoll(now + this.#slots.nextFreeAt() - clock.elapsed());
    // Checking is cheap and leasing writes, which an idle worker must not do.
    const dueAt = (await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY;
    if (dueAt > now) return this.#scheduleNextPoll(dueAt);
    const worker = this.#registration.id;
    // Stored with each delivery: short, and still unique among the leases of this worker.
    const leaseToken = randomBytes(9).toString('base64url');
    const request = { now, leaseUntil: now + leaseMs, leaseToken, limit, worker };
    const due = await deliveries.leaseDue(request);
    for (const delivery of due) this.#start(delivery);
    // Fair shares may have left some due.
    if (due.length > 0) this.#pollAgain = true;
    else this.#scheduleNextPoll((await deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY);
  }

  /** Makes the deliveries due that workers had leased when they died. */
  async #takeOver(now: number): Promise<void> {
    const { deliveries, clock, log } = this.#dependencies;
    if (clock.elapsed() < this.#takeoverAt) return;
    this.#takeoverAt = clock.elapsed() + takeoverIntervalMs;
    const released = await deliveries.releaseDeadLeases(now);
    if (released > 0)
      log.warn({ released }, 'a worker died; its deliveries in flight are due again');
  }

  async #unregister(): Promise<void> {
    const { clock, log } = this.#dependencies;
    try {
      await this.#registration?.end(clock.now());
    } catch (error) {
      // The next worker notices that this one has ended.
      log.warn({ err: error }, 'the leases of this worker could not be released');
    }
    this.#registration = null;
  }

  /** Detects that the clock was set, and adjusts the store before anything is decided by the new time. */
  async #followClock(): Promise<void> {
    const { deliveries, clock, log } = this.#dependencies;
    const { now: lastNow, elapsed: lastElapsed } = this.#lastClockReading;
    const reading = { now: clock.now(), elapsed: clock.elapsed() };
    const expected = lastNow + reading.elapsed - lastElapsed;
    const jump = Math.round(reading.now - expected);
    if (Math.abs(jump) > clockTolerance) {
      log.warn({ jump }, 'the clock was set; adjusting deliveries');
      await deliveries.adjustToClock({ expected, now: reading.now });
      this.#readjustAt = reading.elapsed + readjustAfterMs;
    } else if (reading.elapsed >= this.#readjustAt) {
      await deliveries.adjustToClock({ expected: reading.now, now: reading.now });
      this.#readjustAt = Number.POSITIVE_INFINITY;
    }
    this.#lastClockReading = reading;
  }

  #scheduleNextPoll(until: number): void {
    if (this.#stopped) return;
    const { clock, pollIntervalMs = defaultPollIntervalMs } = this.#dependencies;
    const pause = Math.min(Math.max(until - clock.now(), 1), pollIntervalMs);
    this.#cancelNextPoll();
    this.#cancelNextPoll = clock.schedule(pause, () => this.wake());
  }

  #start(delivery: LeasedDelivery): void {
    const releaseSlot = this.#slots.take(this.#dependencies.clock.elapsed());
    const attempt = this.#attempt(delivery)
      .catch((error: unknown) => {
        // A fault of this server: the lease ends and the delivery is attempted again.
        const { id: deliveryId, webhookId } = delivery;
        this.#dependencies.log.error(
          { err: error, deliveryId, webhookId },
          'attempt could not be made',
        );
      })
      .finally(() => {
        releaseSlot();
        this.#inFlight.delete(attempt);
        this.wake();
      });
    this.#inFlight.add(attempt);
  }

  async #attempt(delivery: LeasedDelivery): Promise<void> {
    const { sender, clock, log, random } = this.#dependencies;
    const ids = { deliveryId: delivery.id, webhookId: delivery.webhookId };
    const expired = resolveExpired(delivery, clock.now());
    if (expired !== null) {
      await this.#recorder.record(expired);
      this.#dependencies.onExpired?.(delivery);
      log.warn(ids, 'delivery failed: its deadline passed before the next attempt');
      return;
    }
    const attempt = alignAttempt(await sender.send(delivery), clock.now());
    if (attempt.error === 'server_shutdown') {
      await this.#recorder.record(resolveInterrupted(delivery, clock.now()));
      log.info(ids, 'attempt interrupted by the shutdown; due again at once');
      return;
    }
    if (attempt.error === 'socket_exhaustion') this.#pauseForSockets();
    if (isLocalShortage(attempt)) return this.#postpone(delivery);
    const result = resolveAttempt(delivery, attempt, random);
    await this.#recorder.record(result);
    this.#report(delivery, attempt, result);
  }

  /** Pauses all deliveries while this machine has no sockets. */
  #pauseForSockets(): void {
    const { clock, log } = this.#dependencies;
    // One log line and one pause for all attempts that fail together.
    if (this.#socketPauseUntil <= clock.elapsed()) {
      const inFlight = this.#slots.inFlight;
      log.error(
        { inFlight },
        'out of sockets or file descriptors; pausing deliveries for a second',
      );
    }
    this.#socketPauseUntil = clock.elapsed() + maxPostponementMs;
  }

  /** Schedules the attempt again in a second. The receiver was not contacted. */
  #postpone(delivery: LeasedDelivery): Promise<void> {
    const nextAttemptAt = this.#dependencies.clock.now() + maxPostponementMs;
    return this.#recorder.record(resolveInterrupted(delivery, nextAttemptAt));
  }

  #report(delivery: LeasedDelivery, attempt: Attempt, result: AttemptResult): void {
    const { log } = this.#dependencies;
    this.#dependencies.onAttempt?.(delivery, attempt, result);
    // Successes may be thousands a second, and the delivery log has them all.
    const level = isAcknowledged(attempt) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const { id: deliveryId, webhookId } = delivery;
    const { status, error, durationMs, headers } = attempt;
    const { state, number, nextAttemptAt } = result;
    const line = {
      deliveryId,
      webhookId,
      state,
      number,
      status,
      error,
      durationMs,
      nextAttemptAt,
      ...(headers.traceparent && { traceId: readTraceId(headers.traceparent) }),
    };
    log[level](line, 'attempt');
  }
}

/** Returns the trace ID of a `traceparent`. Source: W3C Trace Context, section 3.2. */
function readTraceId(traceparent: string): string | undefined {
  return traceparent.split('-')[1];
}

/** How many fast attempts may be in flight at once. */
const maxFastAttempts = 256;
/** How long an attempt counts as fast. */
const fastAttemptMs = 1_000;
/** The default for how many attempts may be in flight at once. */
export const defaultMaxAttempts = 2_000;

/**
 * Limits the attempts in flight. Only attempts younger than a second count towards the lower limit: a slow receiver occupies
 * a socket, but does not delay deliveries to others.
 */
export class ConcurrencyLimiter {
  readonly #max: number;
  /** Start times of the fast attempts, oldest first. */
  readonly #fast = new Map<symbol, number>();
  #taken = 0;

  /** @param max How many attempts may be in flight at once, fast or not. */
  constructor(max: number = defaultMaxAttempts) {
    this.#max = max;
  }

  /** The number of attempts in flight. */
  get inFlight(): number {
    return this.#taken;
  }

  /**
   * Takes a slot for an attempt that starts now. Returns a function that releases it.
   *
   * @param now A time of `Clock.elapsed`, which is never set back; also in the other methods.
   */
  take(now: number): () => void {
    const slot = Symbol('attempt');
    this.#fast.set(slot, now);
    this.#taken += 1;
    return () => {
      this.#fast.delete(slot);
      this.#taken -= 1;
    };
  }

  /** Returns how many attempts may start now. */
  free(now: number): number {
    for (const [slot, startedAt] of this.#fast) {
      if (now - startedAt < fastAttemptMs) break;
      this.#fast.delete(slot);
    }
    return Math.max(0, Math.min(maxFastAttempts - this.#fast.size, this.#max - this.#taken));
  }

  /** Returns when a slot becomes free without an attempt ending; infinity if one has to end first. */
  nextFreeAt(): number {
    const [oldest] = this.#fast.values();
    if (oldest === undefined || this.#taken >= this.#max) return Number.POSITIVE_INFINITY;
    return oldest + fastAttemptMs;
  }
}
