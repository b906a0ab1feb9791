import type { Account, ApiKey } from '../accounts/account';
import type { SignInCode } from '../accounts/sign-in';
import type { AuditEntry } from '../audit/audit-log';
import { type Delivery, fanOut, type Subscriber } from '../deliveries/delivery';
import {
  type EndpointHealth,
  latestBackoffUntil,
  nextAllowedAt,
  resumedHealth,
} from '../deliveries/endpoint-health';
import type { LoggedAttempt } from '../deliveries/logged-delivery';
import { DeliveryRoom, queueLimitReached } from '../deliveries/open-deliveries';
import { Announcements } from '../events/announcements';
import { type DomainEvent, firstSequenceAt, type StoredEvent } from '../events/event';
import type { CommandContext } from '../kernel/context';
import {
  type IdempotencyKey,
  type IdempotentResult,
  idempotencyKeyReused,
  responseErased,
  type StoredResponse,
} from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';
import type { Listing } from '../listings/listing';
import type { Notification } from '../notifications/notification';
import type { Order } from '../orders/order';
import type { Task } from '../tasks/task';
import { addCounts, type StatsRow, type StatsTally } from '../webhooks/stats-counts';
import type { Webhook } from '../webhooks/webhook';

/** A worker's lease of a delivery. */
export interface MemoryLease {
  token: string;
  worker: string | undefined;
  /** Milliseconds since 1970. */
  until: number;
  /** Whether it counts towards the concurrency limit of its endpoint. */
  counts: boolean;
}

/** A delivery with what is known of its attempts. Times are in milliseconds since 1970. */
export interface MemoryDelivery extends Omit<Delivery, 'nextAttemptAt'> {
  /** The order in which deliveries were queued. */
  seq: number;
  attemptCount: number;
  /** Attempts since it was queued or replayed. */
  tries: number;
  /** When its next attempt is due; null if it is final or leased. */
  dueAt: number | null;
  /** When this wait started. */
  scheduledAt: number;
  lease: MemoryLease | null;
  lastStatus: number | null;
  lastError: string | null;
  finishedAt: number | null;
  attempts: LoggedAttempt[];
}

/** The queue of an endpoint. */
export interface MemoryQueue {
  webhookId: string;
  health: EndpointHealth;
  /** As `AttemptRate` has it. */
  rateUntil: number;
  paused: boolean;
  /** All deliveries of the webhook. */
  deliveries: Set<MemoryDelivery>;
  /** Those that are leased. */
  leased: Set<MemoryDelivery>;
  /** When a worker should poll it next; null while nothing may be leased. */
  nextAt: number | null;
}

/** An entry of an account's event log. */
interface LogEntry {
  seq: number;
  accountId: string;
  event: StoredEvent;
}

interface MemoryResponse extends IdempotencyKey {
  /** JSON; null after it was erased together with its webhook. */
  response: string | null;
  webhookId: string | null;
}

/** Compares two items by time and ID, from newest to oldest. */
export function newestFirst(one: PageKey, other: PageKey): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  return Number(one.id < other.id) - Number(one.id > other.id);
}

/** Returns the first `limit` of some items after a key, from newest to oldest. */
export function cutPage<Item extends PageKey>(
  items: Iterable<Item>,
  { after, limit }: { after: PageKey | null; limit: number },
): Item[] {
  const rest = [...items].filter((item) => after === null || newestFirst(after, item) < 0);
  return rest.sort(newestFirst).slice(0, limit);
}

/** Everything that a store in memory has, and the changes that several of its parts make. */
export class MemoryData {
  readonly announcements = new Announcements();
  readonly accounts = new Map<string, Account>();
  readonly keys = new Map<string, ApiKey>();
  /** By their hash. */
  readonly signInCodes = new Map<string, SignInCode>();
  readonly listings = new Map<string, Listing>();
  readonly orders = new Map<string, Order>();
  /** By the ID of their order, which has at most one. */
  readonly tasks = new Map<string, Task>();
  readonly notifications = new Map<string, Notification>();
  readonly events = new Map<string, StoredEvent>();
  /** The event logs of all accounts, by sequence number. */
  log: LogEntry[] = [];
  /** How far the log of an account was pruned. */
  readonly prunedTo = new Map<string, number>();
  readonly webhooks = new Map<string, Webhook & { isDeleted: boolean }>();
  readonly queues = new Map<string, MemoryQueue>();
  readonly deliveries = new Map<string, MemoryDelivery>();
  readonly responses = new Map<string, MemoryResponse>();
  /** The statistics of webhooks, by webhook, width and start. */
  readonly stats = new Map<string, StatsRow>();
  readonly audit = new Map<string, AuditEntry>();
  readonly #room = new DeliveryRoom();
  #lastSeq = 0;
  #deliveryCount = 0;

  /** Runs work once per idempotency key, as `IdempotencyKey` describes. */
  runIdempotent<Response extends StoredResponse>(
    key: IdempotencyKey | null,
    now: number,
    work: () => Response,
    getWebhookId: () => string | null = () => null,
  ): IdempotentResult<Response> {
    if (key === null) return { response: work(), replayed: false };
    const name = JSON.stringify([key.accountId, key.operation, key.key]);
    const stored = this.responses.get(name);
    if (stored !== undefined && stored.expiresAt > now) {
      if (stored.fingerprint !== key.fingerprint) throw idempotencyKeyReused();
      if (stored.response === null) throw responseErased();
      return { response: JSON.parse(stored.response) as Response, replayed: true };
    }
    const response = work();
    const webhookId = getWebhookId();
    this.responses.set(name, { ...key, response: JSON.stringify(response), webhookId });
    return { response, replayed: false };
  }

  /** Adds events and what they cause. Returns how many deliveries were queued. */
  addEvents(events: readonly DomainEvent[], context: CommandContext): number {
    let queued = 0;
    for (const event of events) {
      this.addEvent(event);
      for (const accountId of event.recipients) {
        this.#lastSeq = Math.max(firstSequenceAt(event.createdAt), this.#lastSeq + 1);
        this.log.push({ seq: this.#lastSeq, accountId, event });
      }
      const findSubscribers = (accountIds: string[]) => this.#findSubscribers(accountIds, event);
      this.#countOpen(event.recipients, context.now);
      const { notifications, deliveries } = fanOut(
        event,
        findSubscribers,
        this.#room.take,
        context,
      );
      for (const notification of notifications)
        this.notifications.set(notification.id, notification);
      for (const delivery of deliveries) this.addDelivery(delivery);
      queued += deliveries.filter(({ state }) => state === 'pending').length;
    }
    return queued;
  }

  /** Returns whether nothing is sent to a webhook: it is paused, or its account is suspended. */
  isHeld({ accountId, status }: Pick<Webhook, 'accountId' | 'status'>): boolean {
    return status === 'paused' || (this.accounts.get(accountId)?.suspendedAt ?? null) !== null;
  }

  /** Holds the queues of an account that was suspended, or lets those continue of one that was resumed. */
  holdQueues({ id, suspendedAt }: Account, now: number): void {
    const own = [...this.webhooks.values()].filter(
      ({ accountId, isDeleted }) => accountId === id && !isDeleted,
    );
    for (const webhook of own) {
      const queue = this.getQueue(webhook.id);
      queue.paused = this.isHeld(webhook);
      if (!queue.paused) queue.health = { ...queue.health, ...resumedHealth };
    }
    this.settleQueues(
      own.map((webhook) => webhook.id),
      now,
    );
    if (suspendedAt === null) this.announcements.notifyDeliveriesQueued();
  }

  /** Adds the entry of a change to the audit log, if there is one. */
  addAudit(entry: AuditEntry | null | undefined): void {
    if (entry) this.audit.set(entry.id, entry);
  }

  /** Adds an event that is in no log. */
  addEvent(event: StoredEvent): void {
    this.events.set(event.id, event);
  }

  /** Queues a delivery. */
  addDelivery({ nextAttemptAt, ...delivery }: Delivery): void {
    this.#deliveryCount += 1;
    const added: MemoryDelivery = {
      ...delivery,
      seq: this.#deliveryCount,
      attemptCount: 0,
      tries: 0,
      dueAt: nextAttemptAt,
      scheduledAt: delivery.createdAt,
      lease: null,
      lastStatus: null,
      lastError: null,
      finishedAt: null,
      attempts: [],
    };
    this.deliveries.set(delivery.id, added);
    const queue = this.getQueue(delivery.webhookId);
    if (delivery.state === 'failed') {
      const end = { dueAt: null, lastError: queueLimitReached, finishedAt: delivery.createdAt };
      Object.assign(added, end);
      queue.deliveries.add(added);
      return;
    }
    queue.deliveries.add(added);
    const { health, rateUntil } = queue;
    const latest = latestBackoffUntil(nextAttemptAt);
    const isFull = this.countLeases(queue) >= health.concurrencyLimit;
    const allowedAt = nextAllowedAt({ ...health, rateUntil }, nextAttemptAt);
    queue.nextAt = queue.paused || isFull ? null : Math.min(queue.nextAt ?? latest, allowedAt);
  }

  /** Returns the queue of a webhook. */
  getQueue(webhookId: string): MemoryQueue {
    const queue = this.queues.get(webhookId);
    if (queue === undefined) throw new Error(`Webhook ${webhookId} has no queue.`);
    return queue;
  }

  /** Removes a delivery. */
  removeDelivery(delivery: MemoryDelivery): void {
    this.deliveries.delete(delivery.id);
    this.getQueue(delivery.webhookId).deliveries.delete(delivery);
    this.setLease(delivery, null);
  }

  /** Leases a delivery, or ends its lease. */
  setLease(delivery: MemoryDelivery, lease: MemoryLease | null): void {
    const { leased } = this.getQueue(delivery.webhookId);
    delivery.lease = lease;
    if (lease === null) leased.delete(delivery);
    else leased.add(delivery);
  }

  /** Counts the leases of a queue towards its concurrency limit. */
  countLeases({ leased }: MemoryQueue): number {
    return [...leased].filter(({ lease }) => lease?.counts).length;
  }

  /** Returns the due time of the first delivery of a queue; null if nothing waits. */
  getFirstDueAt({ deliveries }: MemoryQueue): number | null {
    let first: number | null = null;
    for (const { dueAt } of deliveries) {
      if (dueAt !== null && (first === null || dueAt < first)) first = dueAt;
    }
    return first;
  }

  /** Returns when a queue should be polled next. One that was just served goes behind the waiting ones. */
  getNextPollAt(queue: MemoryQueue, now: number): number | null {
    if (queue.paused || this.countLeases(queue) >= queue.health.concurrencyLimit) return null;
    const first = this.getFirstDueAt(queue);
    const { health, rateUntil } = queue;
    return first === null ? null : Math.max(first, nextAllowedAt({ ...health, rateUntil }, now));
  }

  /** Updates when some queues are polled next, after a change of their deliveries. */
  settleQueues(webhookIds: Iterable<string>, now: number): void {
    for (const id of new Set(webhookIds)) {
      const queue = this.getQueue(id);
      queue.nextAt = this.getNextPollAt(queue, now);
    }
  }

  /** Adds to the statistics of webhooks. */
  addStats({ rows }: StatsTally): void {
    for (const row of rows) {
      const key = JSON.stringify([row.webhookId, row.width, row.start]);
      const stored = this.stats.get(key);
      if (stored === undefined) this.stats.set(key, row);
      else addCounts(stored, row);
    }
  }

  /** Removes some of the statistics. Returns how many buckets. */
  removeStats(isRemovable: (row: StatsRow) => boolean, limit: number): number {
    const removed = [...this.stats].filter(([, row]) => isRemovable(row)).slice(0, limit);
    for (const [key] of removed) this.stats.delete(key);
    return removed.length;
  }

  /** Returns the sequence number of an event in the log of an account; null if it is not there. */
  getSequence(accountId: string, eventId: string): number | null {
    const found = this.log.find(
      (entry) => entry.accountId === accountId && entry.event.id === eventId,
    );
    return found?.seq ?? null;
  }

  /** Removes events, and remembers in each log how far it was pruned. */
  removeEvents(ids: ReadonlySet<string>): void {
    for (const id of ids) this.events.delete(id);
    this.log = this.log.filter(({ seq, accountId, event }) => {
      if (!ids.has(event.id)) return true;
      this.prunedTo.set(accountId, Math.max(seq, this.prunedTo.get(accountId) ?? 0));
      return false;
    });
  }

  #countOpen(accountIds: readonly string[], now: number): void {
    for (const id of accountIds.filter((one) => this.#room.isUnknown(one, now))) {
      const own = [...this.deliveries.values()].filter(({ state, webhookId }) => {
        const webhook = this.webhooks.get(webhookId);
        return state === 'pending' && webhook?.accountId === id && !webhook.isDeleted;
      });
      const limit = this.accounts.get(id)?.maxOpenDeliveries ?? null;
      this.#room.set(id, { open: own.length, limit }, now);
    }
  }

  #findSubscribers(accountIds: string[], { eventType }: DomainEvent): Subscriber[] {
    const webhooks = [...this.webhooks.values()].filter(
      ({ isDeleted, events }) => !isDeleted && events.includes(eventType),
    );
    return accountIds.flatMap((accountId) =>
      webhooks
        .filter((webhook) => webhook.accountId === accountId)
        .map(({ id: webhookId }) => ({ accountId, webhookId })),
    );
  }
}

/** Throws because something refers to what does not exist, as a database does. */
export function requireReference(map: ReadonlyMap<string, unknown>, id: string | null): void {
  if (id !== null && !map.has(id)) throw new Error(`${id} does not exist.`);
}

/** Throws because there is one with this ID already, as a database does. */
export function requireUnused(map: ReadonlyMap<string, unknown>, id: string): void {
  if (map.has(id)) throw new Error(`${id} exists already.`);
}
