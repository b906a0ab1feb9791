import type { DeliveryLogStore } from '@tradepost/domain/deliveries/delivery-store';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import { type LoggedDelivery, needsSearch } from '@tradepost/domain/deliveries/logged-delivery';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { findDeliveries } from '../delivery-search';
import { attemptFields, events, loggedDeliveryFields, pendingDeliveries } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { allDeliveries } from './delivery-queries';
import { createDeliveryReader, selectPage } from './delivery-search';
import { writeIdempotent } from './idempotency';
import { dueFirst, QueueUnitOfWork } from './queues';
import { lockWebhook } from './webhooks';
import { WriteSet } from './write-set';

const ownedDelivery = `FROM ${allDeliveries} AS d
  JOIN webhooks ON webhooks.id = d.webhook_id
  JOIN queues ON queues.webhook_id = d.webhook_id
  WHERE d.id = $1 AND webhooks.account_id = $2 AND webhooks.deleted_at IS NULL`;

const selectOwned = (db: Queries, accountId: string, id: string) =>
  db.find(loggedDeliveryFields, ownedDelivery, id, accountId);

/** Puts a delivery back into its queue, whether it is finished or not. */
const putBack = `WITH finished AS (
    DELETE FROM deliveries WHERE id = $1 RETURNING *),
  again AS (
    INSERT INTO pending_deliveries (id, event_id, webhook_id, event_type, test, attempts, tries, due_at,
      scheduled_at, deadline_at, lease_counts, last_status, last_error, created_at, trace_context)
    SELECT id, event_id, webhook_id, event_type, test, attempts, 0, $2, $3, $4, FALSE, last_status,
      last_error, created_at, $5 FROM finished
    RETURNING id),
  changed AS (
    UPDATE pending_deliveries SET tries = 0, due_at = $2, scheduled_at = $3, deadline_at = $4,
      trace_context = $5
    WHERE id = $1 RETURNING id)
  SELECT id FROM again UNION ALL SELECT id FROM changed`;

/** Puts a delivery back into its queue, which is locked. */
async function requeue(
  tx: Transaction,
  queues: QueueUnitOfWork,
  { id, webhookId, deadlineAt }: LoggedDelivery,
  now: number,
): Promise<void> {
  const dueAt = await dueFirst(tx, queues.get(webhookId), now);
  const found = await tx.row(putBack, id, dueAt, now, deadlineAt, tx.traceContext);
  // It was finished long ago and removed meanwhile.
  if (found === undefined) throw missingRecord('Delivery', id);
  queues.change(webhookId, resetBackoff(queues.get(webhookId)));
  queues.noteDueAt(webhookId, dueAt);
  queues.write(tx, now);
}

/** Creates the store of the delivery log. `onQueued` is called after a commit that made deliveries due. */
export function createPostgresDeliveryLogStore(
  db: PostgresDatabase,
  onQueued: (dueAt: number) => void,
): DeliveryLogStore {
  const reader = createDeliveryReader(db);
  const scheduler = new SearchScheduler();
  return {
    async listDeliveries(accountId, filter, page, signal) {
      if (!needsSearch(filter)) return await selectPage(db, accountId, filter, page);
      const steps = findDeliveries(reader, accountId, filter, page);
      return await scheduler.run(accountId, () => steps.next(), signal);
    },

    async findDelivery(accountId, id) {
      const delivery = await selectOwned(db, accountId, id);
      if (delivery === null) return null;
      const [event, attempts] = await Promise.all([
        db.row<{ body: string }>('SELECT body FROM events WHERE id = $1', delivery.eventId),
        db.list(attemptFields, 'FROM attempts WHERE delivery_id = $1 ORDER BY number', id),
      ]);
      return { ...delivery, body: event?.body ?? '', attempts };
    },

    async replayDelivery({ accountId, id, idempotencyKey, context }, decide) {
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const owned = await selectOwned(tx, accountId, id);
        const queues = await QueueUnitOfWork.lock(tx, owned === null ? [] : [owned.webhookId]);
        // Again, because a worker may have leased it meanwhile.
        const found = owned === null ? null : await selectOwned(tx, accountId, id);
        const { delivery, response } = decide(found);
        if (found === null) throw missingRecord('Delivery', id);
        await requeue(tx, queues, delivery, context.now);
        return { response };
      });
      onQueued(context.now);
      return result;
    },

    async enqueueTestDelivery({ accountId, webhookId, idempotencyKey, context }, decide) {
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const found = await lockWebhook(db, tx, accountId, webhookId);
        const { event, delivery, response } = decide(found);
        const queues = await QueueUnitOfWork.lock(tx, [webhookId]);
        const dueAt = await dueFirst(tx, queues.get(webhookId), context.now);
        const writes = new WriteSet();
        writes.insert(events, [event]);
        const times = { dueAt, scheduledAt: context.now };
        const counts = { attempts: 0, tries: 0, leaseCounts: false };
        const { traceContext } = tx;
        writes.insert(pendingDeliveries, [{ ...counts, ...times, traceContext, ...delivery }]);
        writes.send(tx);
        queues.change(webhookId, resetBackoff(queues.get(webhookId)));
        queues.noteDueAt(webhookId, dueAt);
        queues.write(tx, context.now);
        return { response };
      });
      onQueued(context.now);
      return result;
    },
  };
}
