import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import {
  attemptTimeoutMs,
  isAcknowledged,
  retryWindowMs,
} from '@tradepost/domain/deliveries/delivery';
import {
  newEndpointHealth,
  nextAllowedAt,
  nextHealth,
  nextRetryAt,
} from '@tradepost/domain/deliveries/endpoint-health';
import { invalidDelivery } from '../invalid-delivery';
import {
  createSignedDelivery,
  exampleSecret,
  type SignedDelivery,
  signWithStaged,
} from '../sign-delivery';
import { toEvent } from './plan';
import type { Run, SimulatedDelivery } from './run';
import { createWork, type Work } from './work';

const newSecret = 'whsec_VHJhZGVwb3N0IHNlY29uZCBzZWNyZXQgZm9yIHRlc3Rz';

/** How a secret is replaced: after how many milliseconds what happens, what signs, what is staged, and which are valid from then on. */
const rotation = [
  [0, 'a new secret is staged', exampleSecret, newSecret, [newSecret, exampleSecret]],
  [60_000, 'it signs', newSecret, null, [newSecret, exampleSecret]],
  [180_000, 'the old one is no longer valid', newSecret, null, [newSecret]],
] as const;

/** The service: it sends the events of a plan on the schedule of the reference server, without jitter. */
export class Service {
  #secrets: { signs: string; staged: string | null } = { signs: exampleSecret, staged: null };
  #health = newEndpointHealth;
  #inFlight = 0;
  #onTheirWay = 0;

  constructor(
    private readonly run: Run,
    /** Whether an event waits until the one before is finished. */
    private readonly isOrdered: boolean,
    /** Sends a request to an instance, by its number. */
    private readonly send: (instance: number, work: Work, signed: SignedDelivery) => Promise<void>,
  ) {}

  /** Whether every delivery is finished, and every request has arrived. */
  isDone(): boolean {
    return this.#onTheirWay === 0 && this.run.deliveries.every(({ state }) => state !== 'pending');
  }

  /** Schedules what the plan has. */
  start(): void {
    const { plan, time, note, deliveries } = this.run;
    const { now: start } = time;
    for (const { createdAt } of deliveries) time.schedule(createdAt, () => this.#sendDue());
    for (const [after, what, signs, staged, valid] of plan.rotation === undefined ? [] : rotation) {
      time.schedule(start + (plan.rotation ?? 0) + after, () => {
        note(what);
        this.#secrets = { signs, staged };
        this.run.secrets = valid;
      });
    }
    for (const [index, { at, fault }] of (plan.forged ?? []).entries()) {
      const id = `evt_forged_${index + 1}`;
      this.#arrive(start + at, 1, createWork({ eventId: id, title: id }), async () => {
        const signing = { secret: this.#secrets.signs, id, now: time.now };
        const { body, headers } = await invalidDelivery(fault, signing);
        // The sender has no secret, and a receiver may verify either signature: with one of them left, it would be genuine.
        if (fault === 'unsigned') delete headers[names.webhookSignature];
        return createSignedDelivery(body, headers);
      });
    }
  }

  /** Lets a request arrive at an instance, by any number: they take turns. */
  #arrive(at: number, number: number, work: Work, sign: () => Promise<SignedDelivery>): void {
    this.#onTheirWay += 1;
    this.run.time.schedule(at, async () => {
      this.#onTheirWay -= 1;
      await this.send(((number - 1) % this.run.plan.instances) + 1, work, await sign());
    });
  }

  /** Starts the attempts that are due, as many as the health of the endpoint allows. */
  async #sendDue(): Promise<void> {
    const { time, deliveries } = this.run;
    const allowedAt = nextAllowedAt({ ...this.#health, rateUntil: 0 }, time.now);
    for (const delivery of deliveries) {
      if (delivery.dueAt === null || delivery.dueAt > time.now) continue;
      if (this.#inFlight >= (this.isOrdered ? 1 : this.#health.concurrencyLimit)) return;
      if (allowedAt > time.now) return time.schedule(allowedAt, () => this.#sendDue());
      await this.#attempt(delivery);
    }
  }

  async #attempt(delivery: SimulatedDelivery): Promise<void> {
    const { time, note } = this.run;
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
      const acknowledged = isAcknowledged({ status });
      const ended = { startedAt: sentAt, status, error, retryAfter, acknowledged };
      this.#inFlight -= 1;
      this.#health = nextHealth(this.#health, { ...ended, endedAt: time.now });
      const lastStartAt = delivery.createdAt + retryWindowMs - attemptTimeoutMs;
      const times = { attemptCount: delivery.attempts, now: time.now, lastStartAt, retryAfter };
      delivery.dueAt = acknowledged ? null : nextRetryAt(times, () => 0.5);
      if (delivery.dueAt === null) delivery.state = acknowledged ? 'delivered' : 'failed';
      for (const at of new Set([time.now, delivery.dueAt ?? time.now])) {
        time.schedule(at, () => this.#sendDue());
      }
    };
    time.schedule(sentAt + attemptTimeoutMs, () => end(null, 'timeout'));
    if (faults.lose === 'request') {
      return time.schedule(sentAt + 1, () => end(null, 'the request is lost'));
    }
    const orderVersion = planned.type === 'listing.availability_low' ? null : planned.version;
    const position = { sequence: planned.id, orderVersion };
    const { signs: secret, staged } = this.#secrets;
    const event = toEvent(planned, delivery.createdAt);
    const signed = await signWithStaged({ event, id, sentAt, secret, position }, staged);
    const respond = (response: Response | null) => {
      if (response === null) return end(null, 'the instance is down');
      if (faults.lose === 'response') return end(null, 'the response is lost');
      const retryAfter = Number(response.headers.get('Retry-After')) * 1_000;
      end(response.status, null, retryAfter > 0 ? retryAfter : null);
    };
    const [arrivesAt, turn] = [sentAt + (faults.late ?? 0), planned.id + delivery.attempts + 1];
    const work = createWork({ eventId: id, title, faults, respond });
    this.#arrive(arrivesAt, turn, work, async () => signed);
    if (faults.copy === undefined) return;
    const copy = createWork({ eventId: id, title: `a copy of ${title}` });
    this.#arrive(arrivesAt + faults.copy, turn + 1, copy, async () => signed);
  }
}
