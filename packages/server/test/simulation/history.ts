import {
  type Attempt,
  type AttemptResult,
  attemptTimeoutMs,
  type DeliveryState,
  isAcknowledged,
  type LeasedDelivery,
  leaseMs,
} from '../../src/deliveries/delivery';
import { clockTolerance } from '../../src/kernel/context';
import type { PlannedEndpoint } from './plan';

const shortestPause = 5_000;
const longestPause = 6 * 60 * 60 * 1_000;
const mostAttempts = 14;
const longestSetback = 2 * 3 * 60 * 60 * 1_000;

/** One attempt as it was seen on the network. Milliseconds since 1970. */
export interface SeenAttempt {
  startedAt: number;
  end: 'under way' | 'cut off' | 'taken' | 'not taken';
  /** The worker that made it. */
  by: object;
}

/** A delivery of which a history is kept. */
export interface Watched {
  /** What it is called in the trace, such as `e2#5`. */
  label: string;
  endpoint: PlannedEndpoint;
  /** When it was queued, in milliseconds since the beginning. */
  queuedAt: number;
  /** When it was queued, in milliseconds since 1970. */
  dueAt: number;
  deadlineAt: number;
}

/** The row of a pending delivery, as far as a clock that was set changes it. */
export interface Adjusted {
  due_at: number | null;
  lease_until: number | null;
  lease_token: string | null;
}

/** All that happens to one delivery, held to what the contract and DESIGN.md promise of it. */
export class History {
  readonly watched: Watched;
  readonly attempts: SeenAttempt[] = [];
  /** Attempts whose outcome was recorded. */
  recordedAttempts = 0;
  state: DeliveryState = 'pending';
  /** Whether it was given up without another attempt, since its deadline had passed. */
  overdue = false;
  readonly #complain: (what: string) => void;
  #dueAt: number;
  #takenOver = false;
  #mayOverlap = false;
  #claim: { leaseToken: string; leaseUntil: number } | null = null;

  /** How long it was to wait for its next attempt when that was decided, in milliseconds. */
  wait = 0;
  /** When that was decided, in milliseconds since the beginning. */
  waitsSince: number;

  constructor(watched: Watched, complain: (what: string) => void) {
    this.watched = watched;
    this.#dueAt = watched.dueAt;
    this.waitsSince = watched.queuedAt;
    this.#complain = (what) => complain(`${watched.label} ${what}`);
  }

  /** Whether an attempt is being made now. */
  get underWay(): boolean {
    return this.attempts.at(-1)?.end === 'under way';
  }

  /** @param by The worker that leases it. */
  claimed(
    request: { now: number; leaseUntil: number },
    delivery: LeasedDelivery,
    by: object,
    elapsed: number,
  ): void {
    this.#takeOver(by);
    if (this.state !== 'pending') this.#complain(`was claimed, though it is ${this.state}`);
    if (this.watched.endpoint.kind === 'paused') this.#complain('was claimed, though it is paused');
    const { leaseToken, attemptCount, scheduledTries } = delivery;
    if (this.#claim !== null) this.#complain('is in two hands');
    if (request.now < this.#dueAt) this.#complain('was claimed before it was due');
    if (attemptCount !== this.recordedAttempts || scheduledTries !== attemptCount) {
      this.#complain(`was claimed with ${attemptCount} attempts, of ${this.recordedAttempts}`);
    }
    this.#claim = { leaseToken, leaseUntil: request.leaseUntil };
    // Until its outcome is recorded: a worker that dies leaves it to its lease.
    this.wait = leaseMs;
    this.waitsSince = elapsed;
  }

  /** Records that a worker leases, whatever it gets: leases that have ended stand no longer. */
  somebodyClaims(now: number, by: object): void {
    if (this.#claim === null || now < this.#claim.leaseUntil) return;
    this.#dueAt = this.#claim.leaseUntil;
    this.#claim = null;
    this.#takeOver(by);
  }

  /** Records that a worker started which does not know that the clock was set forward while someone had this. */
  leaseMayHaveEnded(): void {
    this.#mayOverlap = this.underWay;
  }

  /** Records what became of it when the store adjusted to a clock that was set. */
  adjusted(
    { due_at: dueAt, lease_until: leaseUntil, lease_token: leaseToken }: Adjusted,
    now: number,
  ): void {
    // A lease that was made just now is noted only after this.
    const isThisClaim = leaseToken !== null && this.#claim?.leaseToken.endsWith(leaseToken);
    if (this.#claim !== null && leaseUntil !== null && isThisClaim) {
      if (leaseUntil > now + leaseMs) this.#complain('is leased for longer than a lease');
      this.#claim.leaseUntil = leaseUntil;
    }
    if (dueAt === null || this.#claim !== null) return;
    if (dueAt > this.#dueAt) this.#complain(`waits ${dueAt - this.#dueAt} ms longer than before`);
    if (dueAt < this.#dueAt && dueAt < now) this.#complain('is due before the clock was set');
    this.#dueAt = dueAt;
  }

  started(delivery: LeasedDelivery, startedAt: number, by: object): void {
    const last = this.attempts.at(-1);
    if (last?.end === 'taken' && last.by === by && !this.#takenOver) {
      this.#complain('was sent again by the worker that knows it was taken');
    }
    this.#takenOver = false;
    if (this.underWay && !this.#mayOverlap) this.#complain('is sent twice at the same time');
    this.#mayOverlap = false;
    if (this.state !== 'pending') this.#complain(`was sent, though it is ${this.state}`);
    if (delivery.leaseToken !== this.#claim?.leaseToken)
      this.#complain('was sent with an old claim');
    if (startedAt > this.watched.deadlineAt) this.#complain('was sent after its deadline');
    this.attempts.push({ startedAt, end: 'under way', by });
  }

  ended(end: 'cut off' | 'taken' | 'not taken'): void {
    const last = this.attempts.at(-1);
    if (last?.end !== 'under way') this.#complain('ended an attempt that nobody made');
    else last.end = end;
  }

  /** Records an outcome that was recorded; returns whether its lease was still valid. */
  recorded(outcome: AttemptResult, now: number, elapsed: number, clockWasSet: boolean): boolean {
    if (this.#claim?.leaseToken !== outcome.leaseToken) return false;
    this.#claim = null;
    this.state = outcome.state;
    this.#dueAt = outcome.nextAttemptAt ?? this.#dueAt;
    this.wait = Math.max(0, this.#dueAt - now);
    this.waitsSince = elapsed;
    if (outcome.attempt !== null) {
      this.recordedAttempts += 1;
      this.#judge(outcome, outcome.attempt, now, clockWasSet);
    } else if (outcome.state === 'failed') this.givenUp(now);
    if (this.recordedAttempts > mostAttempts) this.#complain('was tried too often');
    return true;
  }

  /** Records that it was failed without another attempt. */
  givenUp(now: number): void {
    if (now <= this.watched.deadlineAt) this.#complain('was given up before its deadline');
    if (this.underWay) this.#complain('was given up while it was sent');
    this.state = 'failed';
    this.overdue = true;
  }

  /** Records that what the worker of the last attempt knows of it counts for nothing any more. */
  #takeOver(by: object): void {
    if (by !== this.attempts.at(-1)?.by) this.#takenOver = true;
  }

  #judge(
    { state, nextAttemptAt }: AttemptResult,
    attempt: Attempt,
    now: number,
    clockWasSet: boolean,
  ): void {
    const end = attempt.startedAt + attempt.durationMs;
    if (end > now + clockTolerance)
      this.#complain('is recorded by a clock that was set back since');
    const lastStart = this.watched.deadlineAt - attemptTimeoutMs;
    if (isAcknowledged(attempt)) {
      if (state !== 'delivered') this.#complain(`is ${state}, though it was acknowledged`);
    } else if (lastStart - end < shortestPause) {
      if (state !== 'failed') this.#complain(`is ${state} after its last attempt`);
    } else if (nextAttemptAt === null) {
      this.#complain(`is ${state}, though there is time for another attempt`);
    } else {
      const pause = Math.min(shortestPause * 3 ** (this.recordedAttempts - 1), longestPause);
      const asked = attempt.retryAfter ?? 0;
      const earliest = Math.min(end + Math.max(Math.round(0.9 * pause), asked), lastStart);
      const latest = Math.min(end + Math.max(Math.round(1.1 * pause), asked), lastStart);
      // It waited to be recorded while the clock was set back, and was to be the last before the deadline.
      const mayBeEarly = clockWasSet && earliest > lastStart - longestSetback;
      if (nextAttemptAt < earliest && !mayBeEarly)
        this.#complain(`is tried ${earliest - nextAttemptAt} ms early`);
      if (nextAttemptAt > latest) this.#complain(`is tried ${nextAttemptAt - latest} ms late`);
    }
  }
}
