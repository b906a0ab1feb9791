import {
  type AttemptResult,
  attemptEndedAt,
  type LeasedDelivery,
} from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import {
  type EndpointHealth,
  newEndpointHealth,
  nextHealth,
} from '@tradepost/domain/deliveries/endpoint-health';

interface ModelDelivery {
  eventId: string;
  endpoint: ModelEndpoint;
  attempts: number;
  deadlineAt: number;
  /** When the next attempt is due; null while it is leased. */
  dueAt: number | null;
  lease: { leaseToken: string; until: number; counts: boolean } | null;
}

interface ModelEndpoint {
  webhookId: string;
  paused: boolean;
  health: EndpointHealth;
}

/** A lease request. */
type LeaseRequest = Parameters<DeliveryStore['leaseDue']>[0];

function demand(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/**
 * A simple model of the queues as the port describes them: a list that is scanned from end
 * to end. A store must agree with it on everything visible. Time never goes back here.
 */
export class QueueModel {
  readonly #endpoints: ModelEndpoint[] = [];
  /** Those that are pending. */
  #deliveries: ModelDelivery[] = [];

  addEndpoint(webhookId: string, paused: boolean): void {
    this.#endpoints.push({ webhookId, paused, health: newEndpointHealth });
  }

  /** Records that a delivery of each of these events was queued for an endpoint. */
  queueUp(webhookId: string, eventIds: string[], now: number, deadlineAt: number): void {
    const endpoint = this.#endpoints.find((one) => one.webhookId === webhookId);
    if (endpoint === undefined) throw new Error(`There is no endpoint ${webhookId}.`);
    for (const eventId of eventIds) {
      this.#deliveries.push({
        eventId,
        endpoint,
        attempts: 0,
        deadlineAt,
        dueAt: now,
        lease: null,
      });
    }
  }

  /** How many deliveries are pending. */
  get depth(): number {
    return this.#deliveries.length;
  }

  /** How many deliveries count towards concurrency limits, including those whose leases have ended. */
  get inFlight(): number {
    return this.#deliveries.filter(({ lease }) => lease?.counts).length;
  }

  /** Records that a worker starts: existing leases no longer count towards concurrency limits. */
  resetStaleLeases(): void {
    for (const { lease } of this.#deliveries) if (lease !== null) lease.counts = false;
  }

  /** When the next lease is possible: exact unless that time has passed. */
  nextDueAt(): number | null {
    const times = this.#deliveries.flatMap(({ lease }) => (lease === null ? [] : [lease.until]));
    for (const endpoint of this.#endpoints) {
      if (endpoint.paused || this.#room(endpoint) <= 0) continue;
      const due = this.#waiting(endpoint).map(({ dueAt }) =>
        Math.max(dueAt, endpoint.health.backoffUntil),
      );
      times.push(...due);
    }
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Checks the leased deliveries of a request, and records them. */
  lease({ now, leaseUntil, limit }: LeaseRequest, leased: LeasedDelivery[]): void {
    for (const delivery of this.#deliveries) {
      if (delivery.lease === null || delivery.lease.until > now) continue;
      delivery.dueAt = delivery.lease.until;
      delivery.lease = null;
    }
    const ready = this.#endpoints.filter(
      (endpoint) =>
        !endpoint.paused &&
        endpoint.health.backoffUntil <= now &&
        this.#room(endpoint) > 0 &&
        this.#waiting(endpoint).some(({ dueAt }) => dueAt <= now),
    );
    const expected = ready.map((endpoint) => {
      const due = this.#waiting(endpoint).filter(({ dueAt }) => dueAt <= now);
      const share = Math.max(1, Math.floor(limit / ready.length));
      return { endpoint, count: Math.min(share, this.#room(endpoint), due.length) };
    });
    const total = Math.min(
      limit,
      expected.reduce((sum, { count }) => sum + count, 0),
    );
    demand(leased.length === total, `${leased.length} were leased, not ${total}`);
    for (const { endpoint, count } of expected) {
      const own = leased.filter(({ webhookId }) => webhookId === endpoint.webhookId).length;
      const enough = ready.length > limit ? own <= count : own === count;
      demand(enough, `${endpoint.webhookId} had ${own} of its ${count}`);
    }
    for (const { eventId, attemptCount } of leased) {
      const found = this.#find(eventId);
      demand(found !== undefined, `${eventId} was leased, although it is final`);
      if (found === undefined) continue;
      demand(found.lease === null, `${eventId} is in two hands`);
      demand((found.dueAt ?? now + 1) <= now, `${eventId} was leased before it was due`);
      demand(ready.includes(found.endpoint), `${eventId} was leased from an endpoint that waits`);
      demand(
        found.attempts === attemptCount,
        `${eventId} had ${found.attempts} attempts, not ${attemptCount}`,
      );
    }
    this.#demandLongestDue(leased);
    for (const { eventId, leaseToken } of leased) {
      const found = this.#find(eventId);
      if (found === undefined) continue;
      found.dueAt = null;
      found.lease = { leaseToken, until: leaseUntil, counts: true };
    }
  }

  /** Records results. Those with a stale lease have no effect. */
  record(outcomes: { eventId: string; outcome: AttemptResult }[]): void {
    for (const { eventId, outcome } of outcomes) {
      const found = this.#find(eventId);
      if (found?.lease?.leaseToken !== outcome.leaseToken) continue;
      found.lease = null;
      found.dueAt = outcome.nextAttemptAt;
      found.attempts = outcome.number;
      const { endpoint } = found;
      if (outcome.attempt !== null) {
        endpoint.health = nextHealth(endpoint.health, attemptEndedAt(outcome.attempt));
      }
      if (outcome.state !== 'pending') this.#remove([found]);
    }
  }

  /** Fails overdue deliveries that are not leased. Returns how many there were. */
  failOverdue(now: number): number {
    const overdue = this.#deliveries.filter((one) => one.deadlineAt < now && one.lease === null);
    this.#remove(overdue);
    return overdue.length;
  }

  #demandLongestDue(leased: LeasedDelivery[]): void {
    const taken = new Set(leased.map(({ eventId }) => eventId));
    for (const endpoint of this.#endpoints) {
      const waiting = this.#waiting(endpoint);
      const latest = Math.max(
        ...waiting.filter(({ eventId }) => taken.has(eventId)).map(({ dueAt }) => dueAt),
      );
      const passedOver = waiting.some(
        ({ eventId, dueAt }) => !taken.has(eventId) && dueAt < latest,
      );
      demand(!passedOver, `${endpoint.webhookId} has one that was due for longer`);
    }
  }

  #find(eventId: string): ModelDelivery | undefined {
    return this.#deliveries.find((one) => one.eventId === eventId);
  }

  #remove(gone: ModelDelivery[]): void {
    this.#deliveries = this.#deliveries.filter((one) => !gone.includes(one));
  }

  #of(endpoint: ModelEndpoint): ModelDelivery[] {
    return this.#deliveries.filter((one) => one.endpoint === endpoint);
  }

  #waiting(endpoint: ModelEndpoint): { eventId: string; dueAt: number }[] {
    return this.#of(endpoint).flatMap(({ eventId, dueAt }) =>
      dueAt === null ? [] : [{ eventId, dueAt }],
    );
  }

  #room(endpoint: ModelEndpoint): number {
    const inHand = this.#of(endpoint).filter(({ lease }) => lease?.counts).length;
    return endpoint.health.concurrencyLimit - inHand;
  }
}
