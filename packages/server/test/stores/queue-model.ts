import {
  type AttemptResult,
  attemptEndedAt,
  type LeasedDelivery,
} from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import {
  type EndpointHealth,
  newEndpointHealth,
  nextHealth,
} from '../../src/deliveries/endpoint-health';

interface ModelDelivery {
  eventId: string;
  endpoint: ModelEndpoint;
  attempts: number;
  deadlineAt: number;
  /** When it is to be tried next; null while a worker has it. */
  dueAt: number | null;
  lease: { leaseToken: string; until: number; counts: boolean } | null;
}

interface ModelEndpoint {
  webhookId: string;
  paused: boolean;
  health: EndpointHealth;
}

/** What a store was asked to lease. */
type ClaimRequest = Parameters<DeliveryStore['leaseDue']>[0];

function demand(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/**
 * The queues as the port describes them, kept as simply as can be: a list that is looked through from end
 * to end. A store has to agree with it on all that can be seen. Time never goes back here.
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

  /** How many deliveries count against what their endpoints are allowed, though their leases may have ended. */
  get inFlight(): number {
    return this.#deliveries.filter(({ lease }) => lease?.counts).length;
  }

  /** Records that a worker starts: what others have in hand counts no more. */
  beginAnew(): void {
    for (const { lease } of this.#deliveries) if (lease !== null) lease.counts = false;
  }

  /** When something may be leased next: exactly, unless that time has passed. */
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

  /** Holds a lease to what it may hand out, and notes it. */
  lease({ now, leaseUntil, limit }: ClaimRequest, claimed: LeasedDelivery[]): void {
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
    demand(claimed.length === total, `${claimed.length} were claimed, not ${total}`);
    for (const { endpoint, count } of expected) {
      const own = claimed.filter(({ webhookId }) => webhookId === endpoint.webhookId).length;
      const enough = ready.length > limit ? own <= count : own === count;
      demand(enough, `${endpoint.webhookId} had ${own} of its ${count}`);
    }
    for (const { eventId, attemptCount } of claimed) {
      const found = this.#find(eventId);
      demand(found !== undefined, `${eventId} was claimed, though it is final`);
      if (found === undefined) continue;
      demand(found.lease === null, `${eventId} is in two hands`);
      demand((found.dueAt ?? now + 1) <= now, `${eventId} was claimed before it was due`);
      demand(ready.includes(found.endpoint), `${eventId} was claimed from an endpoint that waits`);
      demand(
        found.attempts === attemptCount,
        `${eventId} had ${found.attempts} attempts, not ${attemptCount}`,
      );
    }
    this.#demandLongestDue(claimed);
    for (const { eventId, leaseToken } of claimed) {
      const found = this.#find(eventId);
      if (found === undefined) continue;
      found.dueAt = null;
      found.lease = { leaseToken, until: leaseUntil, counts: true };
    }
  }

  /** Records outcomes; those whose lease no longer stands count for nothing. */
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

  /** Fails what is overdue and in no one's hands; answers how many there were. */
  failOverdue(now: number): number {
    const overdue = this.#deliveries.filter((one) => one.deadlineAt < now && one.lease === null);
    this.#remove(overdue);
    return overdue.length;
  }

  #demandLongestDue(claimed: LeasedDelivery[]): void {
    const taken = new Set(claimed.map(({ eventId }) => eventId));
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
