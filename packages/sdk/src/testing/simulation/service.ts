import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import {
  attemptTimeoutMs,
  isAcknowledged,
  retryWindowMs,
} from '@tradepost/domain/deliveries/delivery';
import {
  type AttemptEnd,
  newEndpointHealth,
  nextAllowedAt,
  nextHealth,
  nextRetryAt,
} from '@tradepost/domain/deliveries/endpoint-health';
import { invalidDelivery } from '../invalid-delivery';
import { createSignedDelivery, exampleSecret, signWithStaged } from '../sign-delivery';
import type { RunContext, SentRequest } from './instance';
import { type PlannedEvent, toEvent } from './plan';

/** The delivery of an event. Times are in milliseconds since 1970. */
export interface SimulatedDelivery {
  /** The ID of the event. */
  id: string;
  planned: PlannedEvent;
  createdAt: number;
  /** How many attempts were made. */
  attempts: number;
  /** When the next attempt is due; null during one and after the last. */
  dueAt: number | null;
  state: 'pending' | 'delivered' | 'failed';
}

const newSecret = 'whsec_VHJhZGVwb3N0IHNlY29uZCBzZWNyZXQgZm9yIHRlc3Rz';

/** How a secret is replaced: after how many milliseconds what happens, and which are valid from then on. */
const rotation = [
  { after: 0, what: 'a new secret is staged', state: 'staged', valid: [newSecret, exampleSecret] },
  { after: 60_000, what: 'it signs', state: 'promoted', valid: [newSecret, exampleSecret] },
  { after: 180_000, what: 'the old one is no longer valid', state: 'promoted', valid: [newSecret] },
] as const;

/** The service: it sends the events of a plan on the schedule of the reference server, without jitter. */
export class Service {
  readonly deliveries: SimulatedDelivery[];
  #secretState: 'first' | 'staged' | 'promoted' = 'first';
  #health = newEndpointHealth;
  #inFlight = 0;
  #onTheirWay = 0;

  constructor(private readonly context: RunContext) {
    const { plan, time } = context;
    this.deliveries = plan.events.map((planned) => {
      const createdAt = time.now + planned.at;
      const state = { attempts: 0, dueAt: createdAt, state: 'pending' } as const;
      return { id: `evt_${planned.id}`, planned, createdAt, ...state };
    });
  }

  /** Whether every delivery is finished, and every request has arrived. */
  isDone(): boolean {
    return this.#onTheirWay === 0 && this.deliveries.every(({ state }) => state !== 'pending');
  }

  /** Schedules what the plan has. */
  start(): void {
    const { plan, time, note, send } = this.context;
    const { now: start } = time;
    for (const { createdAt } of this.deliveries) {
      time.schedule(createdAt, () => this.#sendDue());
    }
    for (const { after, what, state, valid } of plan.rotation === undefined ? [] : rotation) {
      time.schedule(start + (plan.rotation ?? 0) + after, () => {
        note(what);
        this.#secretState = state;
        this.context.secrets = valid;
      });
    }
    for (const [index, { at, fault }] of (plan.forged ?? []).entries()) {
      const eventId = `evt_forged_${index + 1}`;
      this.#arrive(start + at, async () => {
        const signing = { secret: this.#currentSecret(), id: eventId, now: time.now };
        const { body, headers } = await invalidDelivery(fault, signing);
        // The sender has no secret, and a receiver may verify either signature: with one of them left, it would be genuine.
        if (fault === 'unsigned') delete headers[names.webhookSignature];
        const forged = createSignedDelivery(body, headers);
        await send(1, { eventId, title: eventId, faults: {}, respond: () => {} }, forged);
      });
    }
  }

  #currentSecret(): string {
    return this.#secretState === 'promoted' ? newSecret : exampleSecret;
  }

  #arrive(at: number, receive: () => Promise<void>): void {
    this.#onTheirWay += 1;
    this.context.time.schedule(at, async () => {
      this.#onTheirWay -= 1;
      await receive();
    });
  }

  /** Starts the attempts that are due, as many as the health of the endpoint allows. */
  async #sendDue(): Promise<void> {
    const { time, isOrdered } = this.context;
    const allowedAt = nextAllowedAt({ ...this.#health, rateUntil: 0 }, time.now);
    for (const delivery of this.deliveries) {
      if (delivery.dueAt === null || delivery.dueAt > time.now) continue;
      if (this.#inFlight >= (isOrdered ? 1 : this.#health.concurrencyLimit)) return;
      if (allowedAt > time.now) return time.schedule(allowedAt, () => this.#sendDue());
      await this.#attempt(delivery);
    }
  }

  async #attempt(delivery: SimulatedDelivery): Promise<void> {
    const { plan, time, note, send } = this.context;
    const { id, planned } = delivery;
    const faults = planned.attempts?.[delivery.attempts] ?? {};
    delivery.attempts += 1;
    delivery.dueAt = null;
    this.#inFlight += 1;
    const { now: sentAt } = time;
    const title = `attempt ${delivery.attempts} of ${id}`;
    let isOpen = true;
    const end = (status: number | null, error: string | null, retryAfter: number | null = null) => {
      if (!isOpen) return;
      isOpen = false;
      if (error !== null) note(`${title} fails: ${error}`);
      this.#record(delivery, { startedAt: sentAt, status, error, retryAfter });
    };
    time.schedule(sentAt + attemptTimeoutMs, () => end(null, 'timeout'));
    if (faults.lose === 'request') {
      return time.schedule(sentAt + 1, () => end(null, 'the request is lost'));
    }
    const orderVersion = planned.type === 'listing.availability_low' ? null : planned.version;
    const position = { sequence: planned.id, orderVersion };
    const event = toEvent(planned, delivery.createdAt);
    const signing = { event, id, sentAt, secret: this.#currentSecret(), position };
    const staged = this.#secretState === 'staged' ? newSecret : null;
    const signed = await signWithStaged(signing, staged);
    const respond = (response: Response | null) => {
      if (response === null) return end(null, 'the instance is down');
      if (faults.lose === 'response') return end(null, 'the response is lost');
      const retryAfter = Number(response.headers.get('Retry-After')) * 1_000;
      end(response.status, null, retryAfter > 0 ? retryAfter : null);
    };
    // The instances take turns.
    const turn = planned.id + delivery.attempts;
    const sendTo = (at: number, number: number, sent: Omit<SentRequest, 'eventId'>) =>
      this.#arrive(at, () => send((number % plan.instances) + 1, { eventId: id, ...sent }, signed));
    const arrivesAt = sentAt + (faults.late ?? 0);
    sendTo(arrivesAt, turn, { title, faults, respond });
    if (faults.copy === undefined) return;
    const copy = { title: `a copy of ${title}`, faults: {}, respond: () => {} };
    sendTo(arrivesAt + faults.copy, turn + 1, copy);
  }

  /** Records the end of an attempt: when the next one is due, and how the endpoint is. */
  #record(delivery: SimulatedDelivery, ended: Omit<AttemptEnd, 'acknowledged' | 'endedAt'>): void {
    const { time } = this.context;
    const { now } = time;
    const acknowledged = isAcknowledged(ended);
    this.#inFlight -= 1;
    this.#health = nextHealth(this.#health, { ...ended, acknowledged, endedAt: now });
    const lastStartAt = delivery.createdAt + retryWindowMs - attemptTimeoutMs;
    const { attempts: attemptCount } = delivery;
    const times = { attemptCount, now, lastStartAt, retryAfter: ended.retryAfter };
    delivery.dueAt = acknowledged ? null : nextRetryAt(times, () => 0.5);
    if (delivery.dueAt === null) delivery.state = acknowledged ? 'delivered' : 'failed';
    for (const at of new Set([now, delivery.dueAt ?? now])) {
      time.schedule(at, () => this.#sendDue());
    }
  }
}
