import type { DeliveryLogStore } from '@tradepost/domain/deliveries/delivery-store';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import { type LoggedDelivery, needsSearch } from '@tradepost/domain/deliveries/logged-delivery';
import type { Announcements } from '@tradepost/domain/events/announcements';
import { findDeliveries } from '../delivery-search';
import { attemptFields, events, loggedDeliveryFields } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import { createDeliveryReader, selectPage } from './delivery-search';
import { runIdempotent } from './idempotency';
import { dueFirst, QueueUnitOfWork } from './queues';
import { selectWebhook } from './webhooks';

const ownedDelivery = `FROM deliveries AS d
  JOIN webhooks ON webhooks.id = d.webhook_id
  JOIN queues ON queues.webhook_id = d.webhook_id
  WHERE d.id = ? AND webhooks.account_id = ? AND webhooks.deleted_at IS NULL`;

/** Puts deliveries back into their queues, ahead of what waits there. Call inside a write. */
function putBack(
  db: SqliteDatabase,
  found: readonly LoggedDelivery[],
  replayed: readonly LoggedDelivery[],
  now: number,
): void {
  const finished = new Set(found.filter(({ state }) => state !== 'pending').map(({ id }) => id));
  const queues = new QueueUnitOfWork(db);
  const dueAt = new Map<string, number>();
  for (const { id, webhookId, state, deadlineAt, finishedAt } of replayed) {
    const first = dueAt.get(webhookId) ?? dueFirst(db, webhookId, now);
    dueAt.set(webhookId, first);
    db.run(
      `UPDATE deliveries SET state = ?, tries = 0, due_at = ?, scheduled_at = ?, deadline_at = ?,
         finished_at = ?, trace_context = ?
       WHERE id = ?`,
      state,
      first,
      now,
      deadlineAt,
      finishedAt,
      db.traceContext,
      id,
    );
    const queue = queues.get(webhookId);
    const added = Number(finished.has(id));
    queues.change(webhookId, { ...resetBackoff(queue), depth: queue.depth + added });
  }
  queues.write(now);
}

/** Creates the store of the delivery log. Due deliveries are announced after the commit. */
export function createSqliteDeliveryLogStore(
  db: SqliteDatabase,
  announcements: Announcements,
): DeliveryLogStore {
  const reader = createDeliveryReader(db);
  const scheduler = new SearchScheduler();
  return {
    async listDeliveries(accountId, filter, page, signal) {
      if (!needsSearch(filter)) return await db.view(() => selectPage(db, accountId, filter, page));
      const steps = findDeliveries(reader, accountId, filter, page);
      return await scheduler.run(accountId, () => steps.next(), signal);
    },

    findOwner: (id) =>
      db.read(() => {
        const row = db.get<{ account_id: string }>(
          `SELECT account_id FROM deliveries AS d JOIN webhooks ON webhooks.id = d.webhook_id
           WHERE d.id = ? AND webhooks.deleted_at IS NULL`,
          id,
        );
        return row?.account_id ?? null;
      }),

    findDelivery: (accountId, id) =>
      db.view(() => {
        const delivery = db.find(loggedDeliveryFields, ownedDelivery, id, accountId);
        if (delivery === null) return null;
        const event = db.get<{ body: string }>(
          'SELECT body FROM events WHERE id = ?',
          delivery.eventId,
        );
        const attempts = db.list(
          attemptFields,
          'FROM attempts WHERE delivery_seq = (SELECT seq FROM deliveries WHERE id = ?) ORDER BY number',
          id,
        );
        return { ...delivery, body: event?.body ?? '', attempts };
      }),

    async replayDeliveries({ accountId, ids, idempotencyKey, context: { now } }, decide) {
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, now, () => {
          const find = (id: string) =>
            db.find(loggedDeliveryFields, ownedDelivery, id, accountId) ?? [];
          const found = ids.flatMap(find);
          const { deliveries, response } = decide(found);
          putBack(db, found, deliveries, now);
          return response;
        }),
      );
      announcements.notifyDeliveriesQueued();
      return result;
    },

    async enqueueTestDelivery({ accountId, webhookId, idempotencyKey, context }, decide) {
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const { event, delivery, response } = decide(selectWebhook(db, accountId, webhookId));
          db.insert(events, event);
          const nextAttemptAt = dueFirst(db, webhookId, context.now);
          insertDelivery(db, { ...delivery, nextAttemptAt });
          const queues = new QueueUnitOfWork(db);
          queues.change(webhookId, resetBackoff(queues.get(webhookId)));
          queues.write(context.now);
          return response;
        }),
      );
      announcements.notifyDeliveriesQueued();
      return result;
    },
  };
}
