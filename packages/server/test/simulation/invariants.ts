import {
  type Attempt,
  type AttemptResult,
  attemptTimeoutMs,
  isAcknowledged,
  type LeasedDelivery,
  leaseMs,
} from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { History, type TrackedDelivery } from './history';
import type { PlannedEndpoint } from './plan';
import type { StoredState } from './simulated-database';
import type { VirtualTime } from './virtual-time';

const second = 1_000;
const hour = 3_600 * second;
/** The maximum delay of a delivery to a healthy receiver, in milliseconds. */
const promptMs = 2 * second;
const maxConcurrency = 32;
const maxBackoffMs = 300 * second;
const roundsUntilBackoff = 5;
/** The longest interruption after a disturbance, while no worker runs or the store is unavailable. */
const maxOutageMs = 900 * second;

type LeaseRequest = Parameters<DeliveryStore['leaseDue']>[0];

/**
 * Checks the engine's invariants against everything that it does. A violation is recorded and not
 * thrown, because the engine would treat an exception as a failure of its store.
 */
export class Invariants {
  readonly violations: string[] = [];
  /** What happened, line by line. */
  readonly trace: string[] = [];
  readonly #time: VirtualTime;
  readonly #state: StoredState;
  /** By event ID: each event goes to one endpoint only. */
  readonly #histories = new Map<string, History>();
  readonly #byDelivery = new Map<string, History>();
  readonly #workers = new Set<object>();
  /** Workers that are about to end, and have given back their leases. */
  readonly #releasing = new WeakSet<object>();
  /** When the engine was disturbed, in milliseconds since the start. */
  readonly #disturbances: number[] = [];
  /** Until then, leases from before a disturbance may still delay work, in milliseconds since the start. */
  #undisturbedAt = 0;
  /** When the clock was set back, in milliseconds since the start. */
  readonly #setbacks: number[] = [];
  /** When the clock was last set forward, in milliseconds since the start. */
  #setForwardAt = Number.NEGATIVE_INFINITY;
  /** When the recorded wait that a receiver requested ends, in milliseconds since 1970. */
  readonly #requestedWaitUntil = new Map<PlannedEndpoint, number>();

  constructor(time: VirtualTime, state: StoredState) {
    this.#time = time;
    this.#state = state;
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

  /** Records that a worker starts. */
  workerStarted(worker: object): void {
    this.#workers.add(worker);
    this.disturbed('a worker starts');
    // It does not know that existing leases ended early.
    if (this.#time.elapsed > this.#setForwardAt + leaseMs) return;
    for (const history of this.histories) history.leaseMayHaveEnded();
  }

  /** Records that a worker gives back its leases, which it does once it has ended all attempts. */
  releasesLeases(worker: object): void {
    this.#releasing.add(worker);
  }

  workerEnded(worker: object, how: string): void {
    this.#workers.delete(worker);
    this.disturbed(how);
  }

  log(line: string): void {
    this.trace.push(`${this.#time.elapsed} ${line}`);
  }

  /** Records a disturbance: a crash, a fault, or a change of the clock. */
  disturbed(what: string): void {
    this.log(what);
    this.#undisturbedAt = Math.max(this.#undisturbedAt, this.#time.elapsed + leaseMs);
    this.#disturbances.push(this.#time.elapsed);
  }

  /** Records that the clock is about to be set; a negative number of milliseconds sets it back. */
  clockSet(by: number): void {
    this.disturbed(`clock set by ${by}`);
    if (by < 0) this.#setbacks.push(this.#time.elapsed);
    else this.#setForwardAt = this.#time.elapsed;
  }

  /** Records that the store adjusted pending deliveries to the clock. */
  async adjusted(): Promise<void> {
    for (const row of await this.#state.listPending())
      this.#histories.get(row.eventId)?.adjusted(row, this.#time.now());
  }

  /** Compares the parsed `Retry-After` of an attempt with the wait that the receiver requested. */
  waitRequested(
    delivery: LeasedDelivery,
    requestedWait: number | null,
    parsed: number | null,
  ): void {
    if (requestedWait === parsed) return;
    this.#report(
      `${this.#of(delivery).tracked.label} has a requested wait of ${requestedWait} ms, parsed as ${parsed}`,
    );
  }

  queued(eventId: string, tracked: TrackedDelivery): void {
    const report = (what: string) => this.#report(what);
    this.#histories.set(eventId, new History(tracked, report));
    this.log(`queued ${tracked.label}`);
  }

  /** Records leases. `by` is the worker that leases the deliveries. */
  async leased(request: LeaseRequest, deliveries: LeasedDelivery[], by: object): Promise<void> {
    for (const history of this.histories) history.expireLease(request.now, by);
    const isAlive = (worker: object) => this.#workers.has(worker) && !this.#releasing.has(worker);
    for (const delivery of deliveries) {
      const history = this.#of(delivery);
      this.#byDelivery.set(delivery.id, history);
      this.#checkNoStall(history);
      history.endLeaseUnlessHeld(request.now, isAlive);
      history.leased(request, delivery, by, this.#time.elapsed);
      const requestedWaitUntil = this.#requestedWaitUntil.get(history.tracked.endpoint) ?? 0;
      if (request.now < requestedWaitUntil && this.#setbacks.length === 0)
        this.#report(`${history.tracked.label} was leased, although its receiver requested a wait`);
    }
    this.log(`leased ${deliveries.map((one) => this.#of(one).tracked.label).join(' ')}`);
    if (deliveries.length > request.limit)
      this.#report('more deliveries were leased than requested');
    for (const webhookId of new Set(deliveries.map((one) => one.webhookId))) {
      const queue = await this.#state.findQueue(webhookId);
      if (queue === undefined) continue;
      const { inFlight, concurrencyLimit, failures, backoffUntil } = queue;
      if (inFlight > concurrencyLimit)
        this.#report(`${inFlight} in flight, ${concurrencyLimit} allowed`);
      if (failures >= roundsUntilBackoff && inFlight > 1)
        this.#report('a failing endpoint has two deliveries in flight');
      const isBackingOff = backoffUntil > request.now && this.#setbacks.length === 0;
      if (isBackingOff) this.#report('a delivery was leased during a backoff');
    }
  }

  /** Records the start of an attempt. `by` is the worker that makes it. */
  attemptStarted(delivery: LeasedDelivery, by: object): void {
    const history = this.#of(delivery);
    history.started(delivery, this.#time.now(), by);
    this.log(`sent ${history.tracked.label}`);
    const { endpoint } = history.tracked;
    const own = this.histories.filter((one) => one.inFlight && one.tracked.endpoint === endpoint);
    // Each worker has its own limit; a new worker does not know what another has in flight.
    if (own.length > maxConcurrency * this.#workers.size)
      this.#report(`${own.length} attempts at once at one endpoint`);
  }

  attemptEnded(delivery: LeasedDelivery, attempt: Attempt): void {
    const { status, error } = attempt;
    const history = this.#of(delivery);
    history.ended(isAcknowledged(attempt) ? 'acknowledged' : 'rejected');
    this.log(`ended ${history.tracked.label} ${status ?? error}`);
  }

  attemptCutOff(delivery: LeasedDelivery): void {
    this.#of(delivery).ended('interrupted');
  }

  recorded(outcomes: AttemptResult[]): void {
    for (const outcome of outcomes) {
      const history = this.#byDelivery.get(outcome.deliveryId);
      if (history === undefined) throw new Error('a result of an unknown delivery');
      const isRecorded = history.recorded(
        outcome,
        this.#time.now(),
        this.#time.elapsed,
        this.#clockWasSet,
      );
      const { label } = history.tracked;
      this.log(`${isRecorded ? 'recorded' : 'too late for'} ${label} ${outcome.state}`);
      if (isRecorded && outcome.state === 'delivered') this.#checkPrompt(history);
      if (isRecorded && outcome.attempt) this.#recordRequestedWait(history, outcome.attempt);
    }
  }

  /** Records the deliveries that a sweep failed. */
  async swept(): Promise<void> {
    for (const eventId of await this.#state.listFailed()) {
      const history = this.#histories.get(eventId);
      if (history?.state !== 'pending') continue;
      history.failedOverdue(this.#time.now());
      this.log(`overdue ${history.tracked.label}`);
    }
  }

  /** Checks the final state. */
  async finish(): Promise<void> {
    for (const history of this.histories) {
      const { label } = history.tracked;
      if (history.state === 'pending') this.#report(`${label} is still pending`);
      if (history.inFlight) this.#report(`${label} is still being sent`);
      if (history.state === 'failed') this.#checkFailure(history);
    }
    await this.#compareRows();
  }

  #of({ eventId }: LeasedDelivery): History {
    const history = this.#histories.get(eventId);
    if (history === undefined) throw new Error('an unknown delivery');
    return history;
  }

  #report(what: string): void {
    this.violations.push(`after ${this.#time.elapsed} ms: ${what}`);
  }

  #recordRequestedWait({ tracked: { endpoint } }: History, attempt: Attempt): void {
    const { startedAt, durationMs, retryAfter } = attempt;
    const until = startedAt + durationMs + Math.min(retryAfter ?? 0, maxBackoffMs);
    this.#requestedWaitUntil.set(
      endpoint,
      Math.max(until, this.#requestedWaitUntil.get(endpoint) ?? 0),
    );
  }

  /** A delivery to a healthy receiver is prompt, unless the engine itself was disturbed. */
  #checkPrompt({ tracked: { label, endpoint, queuedAt } }: History): void {
    if (endpoint.kind !== 'healthy') return;
    const late = this.#time.elapsed - queuedAt - promptMs;
    if (late <= 0 || this.#time.elapsed <= this.#undisturbedAt + promptMs) return;
    this.#report(`${label} was ${late} ms late, although its receiver is healthy`);
  }

  /**
   * However the clock is set, a wait is no longer than it was when it began, or than a new wait from the time
   * to which the clock was set. Each setback thus costs at most one wait, and the attempts before it; after
   * another disturbance no worker may run for a while.
   */
  #checkNoStall({ tracked: { label, endpoint }, wait, waitsSince }: History): void {
    const since = this.#disturbances.filter((at) => at >= waitsSince);
    const setbacks = this.#setbacks.filter((at) => at >= waitsSince).length;
    const ahead = this.histories.filter((one) => one.tracked.endpoint === endpoint).length - 1;
    const turn = wait + maxBackoffMs + promptMs + ahead * (maxBackoffMs + attemptTimeoutMs);
    const allowed = (1 + setbacks) * turn + (since.length - setbacks) * maxOutageMs;
    const late = this.#time.elapsed - waitsSince - allowed;
    if (late > 0) this.#report(`${label} was attempted ${late} ms later than allowed`);
  }

  /** A delivery fails only if its receiver kept failing up to the last attempt. */
  #checkFailure(history: History): void {
    const { label, endpoint, queuedAt, deadlineAt, dueAt } = history.tracked;
    if (this.#clockWasSet || endpoint.kind === 'flaky' || endpoint.kind === 'paused') return;
    const deadline = queuedAt + (deadlineAt - dueAt);
    const undisturbed = !this.#disturbances.some((at) => at > deadline - hour && at < deadline);
    const isHealthy = endpoint.outages.every(({ to }) => to < deadline - hour);
    if (isHealthy && undisturbed)
      this.#report(`${label} failed, although its receiver had recovered`);
    const isOnly = endpoint.arrivals.length === 1 && endpoint.arrivals[0]?.count === 1;
    if (endpoint.kind !== 'dead' || !isOnly || this.#disturbances.some((at) => at > 0)) return;
    const { attempts, overdue } = history;
    const [count, last] = [attempts.length, attempts.at(-1)?.startedAt ?? 0];
    const lastStart = deadlineAt - attemptTimeoutMs;
    // A backoff may prevent the last attempt if the one before started less than a backoff ago.
    const earliest = (overdue ? deadlineAt - maxBackoffMs : lastStart) - 10 * second;
    if (count < 12) this.#report(`${label} had only ${count} attempts`);
    if (last < earliest) this.#report(`${label} failed early`);
    if (last > lastStart + second) this.#report(`${label} had its last attempt late`);
  }

  async #compareRows(): Promise<void> {
    const rows = await this.#state.listDeliveries();
    if (rows.length !== this.#histories.size) this.#report('deliveries were lost');
    for (const { eventId, state, attempts } of rows) {
      const history = this.#histories.get(eventId);
      if (history?.state !== state || history.recordedAttempts !== attempts) {
        this.#report(`${history?.tracked.label} is stored as ${state} with ${attempts} attempts`);
      }
    }
    for (const { depth, inFlight } of await this.#state.listQueues()) {
      if (depth !== 0 || inFlight !== 0)
        this.#report(`a queue has ${depth} deliveries, ${inFlight} in flight`);
    }
  }
}
