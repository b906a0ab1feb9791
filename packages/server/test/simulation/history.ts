import {
  type Attempt,
  type AttemptResult,
  attemptTimeoutMs,
  type DeliveryState,
  isAcknowledged,
  type LeasedDelivery,
  leaseMs,
} from '@tradepost/domain/deliveries/delivery';
import { clockTolerance } from '@tradepost/domain/kernel/context';
import type { PlannedEndpoint } from './plan';

const minPauseMs = 5_000;
const maxPauseMs = 6 * 60 * 60 * 1_000;
const maxAttempts = 14;
const maxSetbackMs = 2 * 3 * 60 * 60 * 1_000;

/** One attempt as it was seen on the network. Milliseconds since 1970. */
export interface SeenAttempt {
  startedAt: number;
  end: 'in flight' | 'interrupted' | 'acknowledged' | 'rejected';
  /** The worker that made it. */
  by: object;
}

/** A delivery whose history is recorded. */
export interface TrackedDelivery {
  /** Its name in the trace, such as `e2#5`. */
  label: string;
  endpoint: PlannedEndpoint;
  /** When it was queued, in milliseconds since the start. */
  queuedAt: number;
  /** When it was queued, in milliseconds since 1970. */
  dueAt: number;
  deadlineAt: number;
}

/** The columns of a pending delivery that change when the clock is set. */
export interface Adjusted {
  dueAt: number | null;
  leaseUntil: number | null;
  leaseToken: string | null;
}

/** Records everything that happens to one delivery and reports each violated invariant. */
export class History {
  readonly tracked: TrackedDelivery;
  readonly attempts: SeenAttempt[] = [];
  /** Attempts whose outcome was recorded. */
  recordedAttempts = 0;
  state: DeliveryState = 'pending';
  /** Whether it failed without another attempt because its deadline had passed. */
  overdue = false;
  readonly #report: (what: string) => void;
  #dueAt: number;
  #takenOver = false;
  #mayOverlap = false;
  #lease: { leaseToken: string; leaseUntil: number; by: object } | null = null;

  /** The wait before the next attempt as it was scheduled, in milliseconds. */
  wait = 0;
  /** When that wait was scheduled, in milliseconds since the start. */
  waitsSince: number;

  constructor(tracked: TrackedDelivery, report: (what: string) => void) {
    this.tracked = tracked;
    this.#dueAt = tracked.dueAt;
    this.waitsSince = tracked.queuedAt;
    this.#report = (what) => report(`${tracked.label} ${what}`);
  }

  /** Whether an attempt is in flight. */
  get inFlight(): boolean {
    return this.attempts.at(-1)?.end === 'in flight';
  }

  /** Records a lease. `by` is the worker that leases the delivery. */
  leased(
    request: { now: number; leaseUntil: number },
    delivery: LeasedDelivery,
    by: object,
    elapsed: number,
  ): void {
    this.#takenOverBy(by);
    if (this.state !== 'pending') this.#report(`was leased, although it is ${this.state}`);
    if (this.tracked.endpoint.kind === 'paused')
      this.#report('was leased, although its webhook is paused');
    const { leaseToken, attemptCount, scheduledTries } = delivery;
    if (this.#lease !== null) this.#report('is leased twice');
    if (request.now < this.#dueAt) this.#report('was leased before it was due');
    if (attemptCount !== this.recordedAttempts || scheduledTries !== attemptCount) {
      this.#report(`was leased with ${attemptCount} of ${this.recordedAttempts} attempts`);
    }
    this.#lease = { leaseToken, leaseUntil: request.leaseUntil, by };
    // If the worker crashes and no other one takes over, the delivery waits until its lease ends.
    this.wait = leaseMs;
    this.waitsSince = elapsed;
  }

  /** Records that a worker leased deliveries: a lease that has ended is then no longer valid. */
  expireLease(now: number, by: object): void {
    if (this.#lease === null || now < this.#lease.leaseUntil) return;
    this.#dueAt = this.#lease.leaseUntil;
    this.#lease = null;
    this.#takenOverBy(by);
  }

  /** Records that the delivery is about to be leased: a worker that has ended no longer has its leases. */
  endLeaseUnlessHeld(now: number, isAlive: (worker: object) => boolean): void {
    if (this.#lease === null || isAlive(this.#lease.by)) return;
    this.#dueAt = now;
    this.#lease = null;
  }

  /** Records that a worker started that does not know that the clock was set forward during a lease. */
  leaseMayHaveEnded(): void {
    this.#mayOverlap = this.inFlight;
  }

  /** Records the row after the store adjusted to a clock that was set. */
  adjusted({ dueAt, leaseUntil, leaseToken }: Adjusted, now: number): void {
    // A new lease is recorded only after this call.
    const isThisLease = leaseToken !== null && this.#lease?.leaseToken.endsWith(leaseToken);
    if (this.#lease !== null && leaseUntil !== null && isThisLease) {
      if (leaseUntil > now + leaseMs) this.#report('is leased for longer than a lease');
      this.#lease.leaseUntil = leaseUntil;
    }
    if (dueAt === null || this.#lease !== null) return;
    if (dueAt > this.#dueAt) this.#report(`waits ${dueAt - this.#dueAt} ms longer than before`);
    if (dueAt < this.#dueAt && dueAt < now) this.#report('is due before the clock was set');
    this.#dueAt = dueAt;
  }

  started(delivery: LeasedDelivery, startedAt: number, by: object): void {
    const last = this.attempts.at(-1);
    if (last?.end === 'acknowledged' && last.by === by && !this.#takenOver) {
      this.#report('was sent again by the worker that received its acknowledgement');
    }
    this.#takenOver = false;
    if (this.inFlight && !this.#mayOverlap) this.#report('is sent twice at the same time');
    this.#mayOverlap = false;
    if (this.state !== 'pending') this.#report(`was sent, although it is ${this.state}`);
    if (delivery.leaseToken !== this.#lease?.leaseToken)
      this.#report('was sent with a stale lease');
    if (startedAt > this.tracked.deadlineAt) this.#report('was sent after its deadline');
    this.attempts.push({ startedAt, end: 'in flight', by });
  }

  ended(end: 'interrupted' | 'acknowledged' | 'rejected'): void {
    const last = this.attempts.at(-1);
    if (last?.end !== 'in flight') this.#report('ended an attempt that was not started');
    else last.end = end;
  }

  /** Records that the store recorded a result. Returns whether its lease was still valid. */
  recorded(outcome: AttemptResult, now: number, elapsed: number, clockWasSet: boolean): boolean {
    if (this.#lease?.leaseToken !== outcome.leaseToken) return false;
    this.#lease = null;
    this.state = outcome.state;
    this.#dueAt = outcome.nextAttemptAt ?? this.#dueAt;
    this.wait = Math.max(0, this.#dueAt - now);
    this.waitsSince = elapsed;
    if (outcome.attempt !== null) {
      this.recordedAttempts += 1;
      this.#checkResult(outcome, outcome.attempt, now, clockWasSet);
    } else if (outcome.state === 'failed') this.failedOverdue(now);
    if (this.recordedAttempts > maxAttempts) this.#report('was attempted too often');
    return true;
  }

  /** Records that the delivery failed without another attempt. */
  failedOverdue(now: number): void {
    if (now <= this.tracked.deadlineAt) this.#report('failed before its deadline');
    if (this.inFlight) this.#report('failed while an attempt was in flight');
    this.state = 'failed';
    this.overdue = true;
  }

  /** Records that another worker takes over, which does not know the last attempt. */
  #takenOverBy(by: object): void {
    if (by !== this.attempts.at(-1)?.by) this.#takenOver = true;
  }

  #checkResult(
    { state, nextAttemptAt }: AttemptResult,
    attempt: Attempt,
    now: number,
    clockWasSet: boolean,
  ): void {
    const end = attempt.startedAt + attempt.durationMs;
    if (end > now + clockTolerance) this.#report('has an attempt that ended in the future');
    const lastStart = this.tracked.deadlineAt - attemptTimeoutMs;
    if (isAcknowledged(attempt)) {
      if (state !== 'delivered') this.#report(`is ${state}, although it was acknowledged`);
    } else if (lastStart - end < minPauseMs) {
      if (state !== 'failed') this.#report(`is ${state} after its last attempt`);
    } else if (nextAttemptAt === null) {
      this.#report(`is ${state}, although there is time for another attempt`);
    } else {
      const pause = Math.min(minPauseMs * 3 ** (this.recordedAttempts - 1), maxPauseMs);
      const requested = attempt.retryAfter ?? 0;
      const earliest = Math.min(end + Math.max(Math.round(0.9 * pause), requested), lastStart);
      const latest = Math.min(end + Math.max(Math.round(1.1 * pause), requested), lastStart);
      // The clock was set back before the result was recorded, and the retry was the last before the deadline.
      const mayBeEarly = clockWasSet && earliest > lastStart - maxSetbackMs;
      if (nextAttemptAt < earliest && !mayBeEarly)
        this.#report(`is retried ${earliest - nextAttemptAt} ms early`);
      if (nextAttemptAt > latest) this.#report(`is retried ${nextAttemptAt - latest} ms late`);
    }
  }
}
