import {
  type AttemptResult,
  attemptEndedAt,
  dueAhead,
  fairShare,
  type LeasedDelivery,
  leaseMs,
  maxStoredAttempts,
} from '../deliveries/delivery';
import type { DeliveryLogStore, DeliveryStore } from '../deliveries/delivery-store';
import {
  alignHealth,
  countAllowed,
  nextHealth,
  resetBackoff,
  useAttempts,
} from '../deliveries/endpoint-health';
import { type LoggedDelivery, matchesFilter } from '../deliveries/logged-delivery';
import { StatsTally } from '../webhooks/stats-counts';
import { cutPage, type MemoryData, type MemoryDelivery, type MemoryQueue } from './memory-data';

type LeaseRequest = Parameters<DeliveryStore['leaseDue']>[0];

/** Creates the store of the delivery queues. */
export function createMemoryDeliveryStore(data: MemoryData): DeliveryStore & { close(): void } {
  const { deliveries, queues } = data;
  const living = new Set<string>();
  const dead = new Set<string>();
  let workerCount = 0;

  const listAll = () => [...deliveries.values()];
  const listLeased = () =>
    [...queues.values()].flatMap(({ leased }) =>
      [...leased].flatMap((delivery) =>
        delivery.lease === null ? [] : [{ delivery, lease: delivery.lease }],
      ),
    );

  /** Makes leased deliveries due again. */
  function release(
    leases: ReturnType<typeof listLeased>,
    getDueAt: (lease: (typeof leases)[number]) => number,
    now: number,
  ): number {
    for (const leased of leases) {
      const dueAt = getDueAt(leased);
      Object.assign(leased.delivery, { dueAt, scheduledAt: dueAt });
      data.setLease(leased.delivery, null);
    }
    data.settleQueues(
      leases.map(({ delivery }) => delivery.webhookId),
      now,
    );
    return leases.length;
  }

  /** Makes the leases of workers due ahead of their queues, as they were before. */
  function releaseWorkers(ids: ReadonlySet<string>, now: number): number {
    const leases = listLeased().filter(({ lease }) => ids.has(lease.worker ?? ''));
    const heads = new Map(
      leases.map(({ delivery: { webhookId } }) => [webhookId, getDueAhead(data, webhookId, now)]),
    );
    return release(
      leases,
      ({ delivery, lease }) =>
        Math.min(now, lease.until - leaseMs, heads.get(delivery.webhookId) ?? now),
      now,
    );
  }

  function lease(delivery: MemoryDelivery, request: LeaseRequest): LeasedDelivery {
    const { leaseUntil: until, leaseToken, worker } = request;
    const webhook = data.webhooks.get(delivery.webhookId);
    const event = data.events.get(delivery.eventId);
    if (!(webhook && event)) throw new Error(`Delivery ${delivery.id} has no webhook or no event.`);
    const token = [worker, leaseToken].filter(Boolean).join('.');
    delivery.dueAt = null;
    data.setLease(delivery, { token, worker, until, counts: true });
    return {
      id: delivery.id,
      eventId: event.id,
      leaseToken: token,
      attemptCount: delivery.attemptCount,
      scheduledTries: delivery.tries,
      deadlineAt: delivery.deadlineAt,
      webhookId: webhook.id,
      url: webhook.url,
      secret: webhook.secret,
      stagedSecret: webhook.stagedSecret,
      headers: webhook.headers,
      body: event.body,
      orderVersion: event.orderVersion,
      sequence: data.getSequence(webhook.accountId, event.id),
      createdAt: delivery.createdAt,
      test: delivery.test,
      traceContext: null,
    };
  }

  function listReady(now: number, limit: number): MemoryQueue[] {
    const isReady = ({ nextAt }: MemoryQueue) => nextAt !== null && nextAt <= now;
    const ready = [...queues.values()].filter(isReady);
    return ready.sort((one, other) => (one.nextAt ?? 0) - (other.nextAt ?? 0)).slice(0, limit);
  }

  function record(
    { deliveryId, leaseToken, ...result }: AttemptResult,
    now: number,
    tally: StatsTally,
  ): string[] {
    const delivery = deliveries.get(deliveryId);
    if (delivery?.lease?.token !== leaseToken) return [];
    const { number, attempt, state, nextAttemptAt } = result;
    Object.assign(delivery, {
      state,
      tries: delivery.tries + number - delivery.attemptCount,
      attemptCount: number,
      dueAt: nextAttemptAt,
      scheduledAt: now,
      finishedAt: state === 'pending' ? null : now,
    });
    data.setLease(delivery, null);
    if (state !== 'pending') tally.addFinished(delivery.webhookId, state, now);
    if (attempt !== null) {
      tally.addAttempt(delivery.webhookId, attempt);
      const { retryAfter: _, ...logged } = attempt;
      delivery.attempts = [...delivery.attempts, { number, ...logged }].slice(-maxStoredAttempts);
      delivery.lastStatus = attempt.status;
      delivery.lastError = attempt.error;
      const queue = data.getQueue(delivery.webhookId);
      queue.health = nextHealth(queue.health, attemptEndedAt(attempt));
    }
    return [delivery.webhookId];
  }

  function adjustLeases(expected: number, now: number): void {
    const latest = now + leaseMs;
    for (const { lease: one } of listLeased()) {
      const isBehind = now > expected && one.until > expected;
      one.until = Math.min(isBehind ? one.until + now - expected : one.until, latest);
    }
  }

  /** Restarts the waits and shortens the backoffs that started in what is now the future. */
  function adjustWaits(now: number): void {
    for (const delivery of listAll()) {
      const { dueAt, scheduledAt } = delivery;
      if (dueAt === null || dueAt <= now || scheduledAt <= now) continue;
      delivery.dueAt = now + Math.max(0, dueAt - scheduledAt);
      delivery.scheduledAt = now;
    }
    for (const queue of queues.values()) {
      queue.health = alignHealth(queue.health, now);
      const next = data.getNextPollAt(queue, now);
      if (next !== null && next < (queue.nextAt ?? Number.POSITIVE_INFINITY)) queue.nextAt = next;
    }
  }

  function adjustToClock(expected: number, now: number): void {
    adjustLeases(expected, now);
    if (now <= expected) adjustWaits(now);
  }

  return {
    async registerWorker() {
      workerCount += 1;
      const id = `memory-${workerCount}`;
      living.add(id);
      return {
        id,
        async end(now) {
          living.delete(id);
          releaseWorkers(new Set([id]), now);
        },
      };
    },

    async releaseDeadLeases(now) {
      const released = releaseWorkers(dead, now);
      dead.clear();
      return released;
    },

    async leaseDue(request) {
      const { now, limit } = request;
      const overdue = listLeased().filter((leased) => leased.lease.until <= now);
      release(overdue, (leased) => leased.lease.until, now);
      const ready = listReady(now, limit);
      const share = fairShare(limit, ready.length);
      const leased: LeasedDelivery[] = [];
      for (const queue of ready) {
        // What is not served comes first next time.
        if (leased.length === limit) break;
        const attemptsPerMinute = data.webhooks.get(queue.webhookId)?.attemptsPerMinute ?? null;
        const rate = { attemptsPerMinute, rateUntil: queue.rateUntil };
        const room = queue.health.concurrencyLimit - data.countLeases(queue);
        const free = Math.min(room, countAllowed(rate, now));
        const due = [...queue.deliveries]
          .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
          .sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || one.seq - other.seq)
          .slice(0, Math.max(0, Math.min(share, free, limit - leased.length)));
        leased.push(...due.map((delivery) => lease(delivery, request)));
        queue.rateUntil = useAttempts(rate, due.length, now);
        data.settleQueues([queue.webhookId], now);
      }
      return leased;
    },

    async recordAttempts(results, now) {
      const tally = new StatsTally();
      data.settleQueues(
        results.flatMap((result) => record(result, now, tally)),
        now,
      );
      data.addStats(tally);
    },

    async resetStaleLeases(now) {
      adjustToClock(now, now);
      for (const { lease: one } of listLeased()) one.counts = false;
      data.settleQueues(
        listLeased().map(({ delivery }) => delivery.webhookId),
        now,
      );
    },

    adjustToClock: async ({ expected, now }) => adjustToClock(expected, now),

    async nextDueAt() {
      const polls = [...queues.values()].map(({ nextAt }) => nextAt);
      const times = [...polls, ...listLeased().map((leased) => leased.lease.until)];
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? null : Math.min(...known);
    },

    async failOverdue({ now, limit }) {
      const overdue = listAll()
        .filter((one) => one.state === 'pending' && one.deadlineAt < now && one.lease === null)
        .sort((one, other) => one.deadlineAt - other.deadlineAt)
        .slice(0, limit);
      const tally = new StatsTally();
      for (const one of overdue) {
        Object.assign(one, { state: 'failed', dueAt: null, finishedAt: now });
        tally.addFinished(one.webhookId, 'failed', now);
      }
      data.addStats(tally);
      data.settleQueues(
        overdue.map(({ webhookId }) => webhookId),
        now,
      );
      return overdue.length;
    },

    async queueStatus(now) {
      const isServed = ({ webhookId }: MemoryDelivery) => {
        const { paused, health, rateUntil } = data.getQueue(webhookId);
        return !paused && Math.max(health.backoffUntil, rateUntil) <= now;
      };
      const due = listAll().flatMap((one) =>
        one.dueAt !== null && one.dueAt <= now && isServed(one) ? [one.dueAt] : [],
      );
      return {
        depth: listAll().filter(({ state }) => state === 'pending').length,
        inFlight: listLeased().filter((leased) => leased.lease.counts).length,
        oldestDueAt: due.length === 0 ? null : Math.min(...due),
      };
    },

    close() {
      for (const id of living) dead.add(id);
      living.clear();
    },
  };
}

/** Returns the due time that puts a delivery ahead of what has waited in its queue. */
function getDueAhead(data: MemoryData, webhookId: string, now: number): number {
  return dueAhead(data.getFirstDueAt(data.getQueue(webhookId)), now);
}

/** Returns a delivery with what its queue says about it. */
export function toLoggedMemoryDelivery(data: MemoryData, delivery: MemoryDelivery): LoggedDelivery {
  const { seq: _, tries: __, attempts: ___, dueAt, scheduledAt, lease, ...rest } = delivery;
  const { paused, health, rateUntil } = data.getQueue(delivery.webhookId);
  return {
    ...rest,
    orderId: data.events.get(delivery.eventId)?.orderId ?? null,
    nextAttemptAt: dueAt === null ? null : Math.max(dueAt, scheduledAt),
    inProgress: lease !== null,
    paused,
    backoffUntil: health.backoffUntil,
    rateUntil,
  };
}

/** Returns whether a delivery is to a webhook of an account that is not deleted. */
export function isOwnedBy(
  data: MemoryData,
  { webhookId }: MemoryDelivery,
  accountId: string,
): boolean {
  const webhook = data.webhooks.get(webhookId);
  return webhook?.accountId === accountId && !webhook.isDeleted;
}

/** Creates the store of the delivery log. */
export function createMemoryDeliveryLogStore(data: MemoryData): DeliveryLogStore {
  const toLogged = (delivery: MemoryDelivery) => toLoggedMemoryDelivery(data, delivery);
  const isOwned = (delivery: MemoryDelivery, accountId: string) =>
    isOwnedBy(data, delivery, accountId);

  function find(accountId: string, id: string): MemoryDelivery | null {
    const found = data.deliveries.get(id);
    return found && isOwned(found, accountId) ? found : null;
  }

  /** Ends the backoff of an endpoint for a delivery that was requested. */
  function serveNow(webhookId: string, now: number): void {
    const queue = data.getQueue(webhookId);
    queue.health = resetBackoff(queue.health);
    data.settleQueues([webhookId], now);
  }

  return {
    async listDeliveries(accountId, filter, page, signal) {
      signal?.throwIfAborted();
      const own = [...data.deliveries.values()].filter((one) => isOwned(one, accountId));
      return cutPage(
        own.map(toLogged).filter((one) => matchesFilter(one, filter)),
        page,
      );
    },

    async findOwner(id) {
      const webhook = data.webhooks.get(data.deliveries.get(id)?.webhookId ?? '');
      return webhook === undefined || webhook.isDeleted ? null : webhook.accountId;
    },

    async findDelivery(accountId, id) {
      const found = find(accountId, id);
      if (found === null) return null;
      const body = data.events.get(found.eventId)?.body ?? '';
      return { ...toLogged(found), body, attempts: found.attempts };
    },

    async replayDeliveries({ accountId, ids, idempotencyKey, context: { now } }, decide) {
      const result = data.runIdempotent(idempotencyKey, now, () => {
        const own = ids.flatMap((id) => find(accountId, id) ?? []);
        const { deliveries, response } = decide(own.map(toLogged));
        for (const { id, webhookId, state, deadlineAt, finishedAt } of deliveries) {
          const times = { dueAt: getDueAhead(data, webhookId, now), scheduledAt: now, deadlineAt };
          Object.assign(find(accountId, id) ?? {}, { state, tries: 0, ...times, finishedAt });
          serveNow(webhookId, now);
        }
        return response;
      });
      data.announcements.notifyDeliveriesQueued();
      return result;
    },

    async enqueueTestDelivery({ accountId, webhookId, idempotencyKey, context }, decide) {
      const result = data.runIdempotent(idempotencyKey, context.now, () => {
        const webhook = data.webhooks.get(webhookId);
        const isOwn = webhook?.accountId === accountId && !webhook.isDeleted;
        const { event, delivery, response } = decide(isOwn ? webhook : null);
        data.addEvent(event);
        const nextAttemptAt = getDueAhead(data, webhookId, context.now);
        data.addDelivery({ ...delivery, nextAttemptAt });
        serveNow(webhookId, context.now);
        return response;
      });
      data.announcements.notifyDeliveriesQueued();
      return result;
    },
  };
}
