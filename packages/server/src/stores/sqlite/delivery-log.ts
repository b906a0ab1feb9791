import type { DeliveryLogStore } from '@tradepost/domain/deliveries/delivery-store';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import { needsSearch } from '@tradepost/domain/deliveries/logged-delivery';
import { SearchScheduler } from '../search-scheduler';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import {
  type AttemptRow,
  type DeliveryRow,
  findDeliveries,
  readAttempt,
  readDelivery,
} from './delivery-search';
import { insertEvent } from './events';
import { runIdempotent } from './idempotency';
import { dueFirst, QueueUnitOfWork } from './queues';
import { selectWebhook } from './webhooks';

/** Runs all steps at once, for a list that is not a search. */
function runToCompletion<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function selectOwned(db: SqliteDatabase, accountId: string, id: string): DeliveryRow | undefined {
  return db.get<DeliveryRow>(
    `SELECT deliveries.*, queues.backoff_until, queues.paused FROM deliveries
     JOIN webhooks ON webhooks.id = deliveries.webhook_id
     JOIN queues ON queues.webhook_id = deliveries.webhook_id
     WHERE deliveries.id = ? AND webhooks.account_id = ? AND webhooks.deleted_at IS NULL`,
    id,
    accountId,
  );
}

/** Creates the store of the delivery log. `onQueued` is called after a commit that made deliveries due. */
export function createSqliteDeliveryLogStore(
  db: SqliteDatabase,
  onQueued: () => void,
): DeliveryLogStore {
  const scheduler = new SearchScheduler();
  return {
    async listDeliveries(accountId, filter, page, signal) {
      const steps = findDeliveries(db, accountId, filter, page);
      const rows = needsSearch(filter)
        ? await scheduler.run(accountId, () => db.view(() => steps.next()), signal)
        : await db.view(() => runToCompletion(steps));
      return rows.map(readDelivery);
    },

    findDelivery: (accountId, id) =>
      db.view(() => {
        const row = selectOwned(db, accountId, id);
        if (row === undefined) return null;
        const event = db.get<{ body: string }>(
          'SELECT body FROM events WHERE id = ?',
          row.event_id,
        );
        const attempts = db.all<AttemptRow>(
          'SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number',
          row.seq,
        );
        return {
          ...readDelivery(row),
          body: event?.body ?? '',
          attempts: attempts.map(readAttempt),
        };
      }),

    async replayDelivery({ accountId, id, idempotencyKey, context }, decide) {
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const row = selectOwned(db, accountId, id);
          const { delivery, response } = decide(row === undefined ? null : readDelivery(row));
          if (row === undefined) throw new Error(`Delivery ${id} does not exist.`);
          db.run(
            `UPDATE deliveries SET state = ?, tries = 0, due_at = ?, scheduled_at = ?,
               deadline_at = ?, finished_at = ?, trace_context = ?
             WHERE seq = ?`,
            delivery.state,
            dueFirst(db, row.webhook_id, context.now),
            context.now,
            delivery.deadlineAt,
            delivery.finishedAt,
            db.traceContext,
            row.seq,
          );
          const queues = new QueueUnitOfWork(db);
          const queue = queues.get(row.webhook_id);
          const added = row.state === 'pending' ? 0 : 1;
          queues.change(row.webhook_id, {
            ...resetBackoff(queue),
            depth: queue.depth + added,
          });
          queues.write(context.now);
          return response;
        }),
      );
      onQueued();
      return result;
    },

    async enqueueTestDelivery({ accountId, webhookId, idempotencyKey, context }, decide) {
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const { event, delivery, response } = decide(selectWebhook(db, accountId, webhookId));
          insertEvent(db, event);
          const nextAttemptAt = dueFirst(db, webhookId, context.now);
          insertDelivery(db, { ...delivery, nextAttemptAt });
          const queues = new QueueUnitOfWork(db);
          queues.change(webhookId, resetBackoff(queues.get(webhookId)));
          queues.write(context.now);
          return response;
        }),
      );
      onQueued();
      return result;
    },
  };
}
