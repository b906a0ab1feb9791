import type { DeliveryLogStore } from '@tradepost/domain/deliveries/delivery-store';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import { needsSearch } from '@tradepost/domain/deliveries/logged-delivery';
import type { Announcements } from '@tradepost/domain/events/announcements';
import { missingRecord } from '@tradepost/domain/kernel/errors';
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

    async replayDelivery({ accountId, id, idempotencyKey, context }, decide) {
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const found = db.find(loggedDeliveryFields, ownedDelivery, id, accountId);
          const { delivery, response } = decide(found);
          if (found === null) throw missingRecord('Delivery', id);
          const { webhookId } = found;
          db.run(
            `UPDATE deliveries SET state = ?, tries = 0, due_at = ?, scheduled_at = ?,
               deadline_at = ?, finished_at = ?, trace_context = ?
             WHERE id = ?`,
            delivery.state,
            dueFirst(db, webhookId, context.now),
            context.now,
            delivery.deadlineAt,
            delivery.finishedAt,
            db.traceContext,
            id,
          );
          const queues = new QueueUnitOfWork(db);
          const queue = queues.get(webhookId);
          const added = found.state === 'pending' ? 0 : 1;
          queues.change(webhookId, { ...resetBackoff(queue), depth: queue.depth + added });
          queues.write(context.now);
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
