import {
  type Attempt,
  type AttemptResult,
  attemptTimeoutMs,
  isAcknowledged,
  type LeasedDelivery,
  leaseMs,
} from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import type { SqliteDatabase } from '../../src/stores/sqlite/database';
import { type Adjusted, History, type Watched } from './history';
import type { PlannedEndpoint } from './plan';
import type { VirtualTime } from './virtual-time';

const second = 1_000;
const hour = 3_600 * second;
/** How long a healthy receiver waits at most, whatever the others do. */
const prompt = 2 * second;
const mostAtOnce = 32;
const longestHold = 300 * second;
const roundsUntilHeld = 5;
/** How long work stands still after a disturbance at most: a worker is gone, or the store rejects. */
const longestAway = 900 * second;

type ClaimRequest = Parameters<DeliveryStore['leaseDue']>[0];

interface QueueRow {
  webhook_id: string;
  depth: number;
  in_flight: number;
  allowance: number;
  failures: number;
  held_until: number;
}

/**
 * What the engine promises, held against all that it does. A promise that is broken is noted and not
 * thrown, since the engine would take an exception for a fault of its store.
 */
export class Invariants {
  readonly broken: string[] = [];
  /** What happened, line by line: the story of a seed. */
  readonly trace: string[] = [];
  readonly #time: VirtualTime;
  readonly #db: SqliteDatabase;
  /** By the event's id: each is sent to one endpoint only. */
  readonly #histories = new Map<string, History>();
  readonly #byDelivery = new Map<string, History>();
  readonly #workers = new Set<object>();
  /** When something came between the engine and its work, in milliseconds since the beginning. */
  readonly #disturbances: number[] = [];
  /** Until then leases and looks of before a disturbance may still have to be waited for, in milliseconds since the beginning. */
  #calmAt = 0;
  /** When the clock was set back, in milliseconds since the beginning. */
  readonly #setbacks: number[] = [];
  /** When the clock was set forward last, in milliseconds since the beginning. */
  #setForwardAt = Number.NEGATIVE_INFINITY;
  /** Until when a receiver asked to be left alone, in milliseconds since 1970: as far as was recorded. */
  readonly #quietUntil = new Map<PlannedEndpoint, number>();

  constructor(time: VirtualTime, db: SqliteDatabase) {
    this.#time = time;
    this.#db = db;
  }

  get histories(): History[] {
    return [...this.#histories.values()];
  }

  get #clockWasSet(): boolean {
    return this.#setbacks.length > 0 || this.#setForwardAt >= 0;
  }

  /** Whether each delivery is delivered or failed. */
  get settled(): boolean {
    return this.histories.every(({ state }) => state !== 'pending');
  }

  /** Records that a worker starts, or ends. */
  began(worker: object): void {
    this.#workers.add(worker);
    this.disturbed('a worker begins');
    // It does not know that the leases that it finds ended sooner than they should have.
    if (this.#time.elapsed > this.#setForwardAt + leaseMs) return;
    for (const history of this.histories) history.leaseMayHaveEnded();
  }

  ended(worker: object, how: string): void {
    this.#workers.delete(worker);
    this.disturbed(how);
  }

  tell(line: string): void {
    this.trace.push(`${this.#time.elapsed} ${line}`);
  }

  /** Records that a crash, a fault or a setting of the clock comes between the engine and its work. */
  disturbed(what: string): void {
    this.tell(what);
    this.#calmAt = Math.max(this.#calmAt, this.#time.elapsed + leaseMs);
    this.#disturbances.push(this.#time.elapsed);
  }

  /** Records that the clock is about to be set, back by a negative number of milliseconds. */
  clockSet(by: number): void {
    this.disturbed(`clock set by ${by}`);
    if (by < 0) this.#setbacks.push(this.#time.elapsed);
    else this.#setForwardAt = this.#time.elapsed;
  }

  /** Records that the store adjusted what waits to the clock. */
  adjusted(): void {
    const rows = this.#db.all<{ event_id: string } & Adjusted>(
      `SELECT event_id, due_at, lease_until, lease_token FROM deliveries WHERE state = 'pending'`,
    );
    for (const row of rows) this.#histories.get(row.event_id)?.adjusted(row, this.#time.now());
  }

  /** Holds what an attempt tells of `Retry-After` to what the receiver asked for. */
  askedToWait(delivery: LeasedDelivery, asks: number | null, told: number | null): void {
    if (asks === told) return;
    this.#complain(`${this.#of(delivery).watched.label} was to wait ${asks} ms, not ${told}`);
  }

  queued(eventId: string, watched: Watched): void {
    const complain = (what: string) => this.#complain(what);
    this.#histories.set(eventId, new History(watched, complain));
    this.tell(`queued ${watched.label}`);
  }

  /** @param by The worker that leases them. */
  claimed(request: ClaimRequest, deliveries: LeasedDelivery[], by: object): void {
    for (const history of this.histories) history.somebodyClaims(request.now, by);
    for (const delivery of deliveries) {
      const history = this.#of(delivery);
      this.#byDelivery.set(delivery.id, history);
      this.#demandNoStall(history);
      history.claimed(request, delivery, by, this.#time.elapsed);
      const quietUntil = this.#quietUntil.get(history.watched.endpoint) ?? 0;
      if (request.now < quietUntil && this.#setbacks.length === 0)
        this.#complain(`${history.watched.label} was claimed, though its receiver asked for time`);
    }
    this.tell(`claimed ${deliveries.map((one) => this.#of(one).watched.label).join(' ')}`);
    if (deliveries.length > request.limit) this.#complain('more was claimed than asked for');
    for (const webhookId of new Set(deliveries.map((one) => one.webhookId))) {
      const queue = this.#db.get<QueueRow>('SELECT * FROM queues WHERE webhook_id = ?', webhookId);
      if (queue === undefined) continue;
      const { in_flight, allowance, failures, held_until } = queue;
      if (in_flight > allowance) this.#complain(`${in_flight} in hand, ${allowance} allowed`);
      if (failures >= roundsUntilHeld && in_flight > 1)
        this.#complain('a failing endpoint has two');
      const held = held_until > request.now && this.#setbacks.length === 0;
      if (held) this.#complain('something was claimed during a hold');
    }
  }

  /** @param by The worker that makes it. */
  attemptStarted(delivery: LeasedDelivery, by: object): void {
    const history = this.#of(delivery);
    history.started(delivery, this.#time.now(), by);
    this.tell(`sent ${history.watched.label}`);
    const { endpoint } = history.watched;
    const own = this.histories.filter((one) => one.underWay && one.watched.endpoint === endpoint);
    // What another worker left in flight does not count when one starts.
    if (own.length > mostAtOnce * this.#workers.size)
      this.#complain(`${own.length} attempts at once at one endpoint`);
  }

  attemptEnded(delivery: LeasedDelivery, attempt: Attempt): void {
    const { status, error } = attempt;
    const history = this.#of(delivery);
    history.ended(isAcknowledged(attempt) ? 'taken' : 'not taken');
    this.tell(`ended ${history.watched.label} ${status ?? error}`);
  }

  attemptCutOff(delivery: LeasedDelivery): void {
    this.#of(delivery).ended('cut off');
  }

  recorded(outcomes: AttemptResult[]): void {
    for (const outcome of outcomes) {
      const history = this.#byDelivery.get(outcome.deliveryId);
      if (history === undefined) throw new Error('an outcome of nothing');
      const stood = history.recorded(
        outcome,
        this.#time.now(),
        this.#time.elapsed,
        this.#clockWasSet,
      );
      const { label } = history.watched;
      this.tell(`${stood ? 'recorded' : 'too late for'} ${label} ${outcome.state}`);
      if (stood && outcome.state === 'delivered') this.#demandPrompt(history);
      if (stood && outcome.attempt) this.#noteQuiet(history, outcome.attempt);
    }
  }

  /** Records what a sweep failed. */
  swept(): void {
    const failed = this.#db.all<{ event_id: string }>(
      "SELECT event_id FROM deliveries WHERE state = 'failed'",
    );
    for (const { event_id } of failed) {
      const history = this.#histories.get(event_id);
      if (history?.state !== 'pending') continue;
      history.givenUp(this.#time.now());
      this.tell(`overdue ${history.watched.label}`);
    }
  }

  /** Holds the end of all to what must have become of it. */
  finish(): void {
    for (const history of this.histories) {
      const { label } = history.watched;
      if (history.state === 'pending') this.#complain(`${label} is still pending`);
      if (history.underWay) this.#complain(`${label} is still being sent`);
      if (history.state === 'failed') this.#demandDespair(history);
    }
    this.#compareRows();
  }

  #of({ eventId }: LeasedDelivery): History {
    const history = this.#histories.get(eventId);
    if (history === undefined) throw new Error('a delivery of nothing');
    return history;
  }

  #complain(what: string): void {
    this.broken.push(`after ${this.#time.elapsed} ms: ${what}`);
  }

  #noteQuiet({ watched: { endpoint } }: History, attempt: Attempt): void {
    const { startedAt, durationMs, retryAfter } = attempt;
    const until = startedAt + durationMs + Math.min(retryAfter ?? 0, longestHold);
    this.#quietUntil.set(endpoint, Math.max(until, this.#quietUntil.get(endpoint) ?? 0));
  }

  /** A receiver that is well waits for nothing but the network, unless the engine itself was disturbed. */
  #demandPrompt({ watched: { label, endpoint, queuedAt } }: History): void {
    if (endpoint.kind !== 'healthy') return;
    const late = this.#time.elapsed - queuedAt - prompt;
    if (late <= 0 || this.#time.elapsed <= this.#calmAt + prompt) return;
    this.#complain(`${label} was ${late} ms late, though its receiver is healthy`);
  }

  /**
   * However the clock is set, a wait is no longer than it was from its beginning, or than it would be from the time
   * to which the clock was set. Each setback thus costs one wait at most, and the turns of those that go first; after
   * another disturbance a worker may be gone for a while.
   */
  #demandNoStall({ watched: { label, endpoint }, wait, waitsSince }: History): void {
    const since = this.#disturbances.filter((at) => at >= waitsSince);
    const setbacks = this.#setbacks.filter((at) => at >= waitsSince).length;
    const ahead = this.histories.filter((one) => one.watched.endpoint === endpoint).length - 1;
    const turn = wait + longestHold + prompt + ahead * (longestHold + attemptTimeoutMs);
    const excuse = (1 + setbacks) * turn + (since.length - setbacks) * longestAway;
    const late = this.#time.elapsed - waitsSince - excuse;
    if (late > 0) this.#complain(`${label} was tried ${late} ms later than a setback excuses`);
  }

  /** A delivery fails only if its receiver gave no reason for hope, up to its last attempt. */
  #demandDespair(history: History): void {
    const { label, endpoint, queuedAt, deadlineAt, dueAt } = history.watched;
    if (this.#clockWasSet || endpoint.kind === 'flaky' || endpoint.kind === 'paused') return;
    const deadline = queuedAt + (deadlineAt - dueAt);
    const undisturbed = !this.#disturbances.some((at) => at > deadline - hour && at < deadline);
    const well = endpoint.ailing.every(({ to }) => to < deadline - hour);
    if (well && undisturbed) this.#complain(`${label} failed, though its receiver was well again`);
    const alone = endpoint.arrivals.length === 1 && endpoint.arrivals[0]?.count === 1;
    if (endpoint.kind !== 'dead' || !alone || this.#disturbances.some((at) => at > 0)) return;
    const { attempts, overdue } = history;
    const [count, last] = [attempts.length, attempts.at(-1)?.startedAt ?? 0];
    const lastStart = deadlineAt - attemptTimeoutMs;
    // A hold may swallow the last attempt, if the one before was made less than a backoff ago.
    const earliest = (overdue ? deadlineAt - longestHold : lastStart) - 10 * second;
    if (count < 12) this.#complain(`${label} had but ${count} attempts`);
    if (last < earliest) this.#complain(`${label} was given up early`);
    if (last > lastStart + second) this.#complain(`${label} had its last attempt late`);
  }

  #compareRows(): void {
    const rows = this.#db.all<{ event_id: string; state: string; attempts: number }>(
      `SELECT event_id, state, (SELECT count(*) FROM attempts WHERE delivery_seq = seq) AS attempts
       FROM deliveries`,
    );
    if (rows.length !== this.#histories.size) this.#complain('deliveries got lost');
    for (const { event_id, state, attempts } of rows) {
      const history = this.#histories.get(event_id);
      if (history?.state !== state || history.recordedAttempts !== attempts) {
        this.#complain(`${history?.watched.label} is kept as ${state} with ${attempts} attempts`);
      }
    }
    for (const { depth, in_flight } of this.#db.all<QueueRow>('SELECT * FROM queues')) {
      if (depth !== 0 || in_flight !== 0)
        this.#complain(`a queue has ${depth}, ${in_flight} in hand`);
    }
  }
}
