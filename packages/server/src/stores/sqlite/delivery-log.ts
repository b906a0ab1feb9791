import type { DeliveryLogStore } from '../../deliveries/delivery-log-store';
import { healthAfterMending } from '../../deliveries/endpoint-queue';
import { needsSearch } from '../../deliveries/logged-delivery';
import { SearchScheduler } from '../../deliveries/search-scheduler';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import { type AttemptRow, type DeliveryRow, readAttempt, readDelivery } from './delivery-rows';
import { findDeliveries } from './delivery-search';
import { insertEvent } from './events';
import { answerOnce } from './idempotency';
import { ChangingQueues, dueFirst } from './queues';
import { selectWebhook } from './webhooks';

/** Makes all steps at once: for a list, which must not wait for searches. */
function runToEnd<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const made = steps.next();
    if (made.done === true) return made.value;
  }
}

function selectOwn(db: SqliteDatabase, accountId: string, id: string): DeliveryRow | undefined {
  return db.get<DeliveryRow>(
    `SELECT deliveries.*, queues.held_until, queues.paused FROM deliveries
     JOIN webhooks ON webhooks.id = deliveries.webhook_id
     JOIN queues ON queues.webhook_id = deliveries.webhook_id
     WHERE deliveries.id = ? AND webhooks.account_id = ? AND webhooks.deleted_at IS NULL`,
    id,
    accountId,
  );
}

/** What an account may see of its deliveries, in SQLite. `queued` is told when some were made due, after the commit. */
export function sqliteDeliveryLog(db: SqliteDatabase, queued: () => void): DeliveryLogStore {
  const scheduler = new SearchScheduler();
  return {
    async listDeliveries(accountId, filter, page, signal) {
      const steps = findDeliveries(db, accountId, filter, page);
      const rows = needsSearch(filter)
        ? await scheduler.run(accountId, () => db.view(() => steps.next()), signal)
        : await db.view(() => runToEnd(steps));
      return rows.map(readDelivery);
    },

    findDelivery: (accountId, id) =>
      db.view(() => {
        const row = selectOwn(db, accountId, id);
        if (row === undefined) return null;
        const event = db.get<{ body: string }>(
          'SELECT body FROM events WHERE id = ?',
          row.event_id,
        );
        const log = db.all<AttemptRow>(
          'SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number',
          row.seq,
        );
        return { ...readDelivery(row), body: event?.body ?? '', log: log.map(readAttempt) };
      }),

    async replayDelivery({ accountId, id, claim, moment }, decide) {
      const answered = await db.write(() =>
        answerOnce(db, claim, moment.now, () => {
          const row = selectOwn(db, accountId, id);
          const { delivery, answer } = decide(row === undefined ? null : readDelivery(row));
          if (row === undefined) throw new Error(`There is no delivery ${id} to replay.`);
          db.run(
            `UPDATE deliveries SET state = ?, tries = 0, due_at = ?, scheduled_at = ?,
               deadline_at = ?, finished_at = ?
             WHERE seq = ?`,
            delivery.state,
            dueFirst(db, row.webhook_id, moment.now),
            moment.now,
            delivery.deadlineAt,
            delivery.finishedAt,
            row.seq,
          );
          const queues = new ChangingQueues(db);
          const queue = queues.of(row.webhook_id);
          const joins = row.state === 'pending' ? 0 : 1;
          queues.change(row.webhook_id, {
            ...healthAfterMending(queue),
            depth: queue.depth + joins,
          });
          queues.write(moment.now);
          return answer;
        }),
      );
      queued();
      return answered;
    },

    async addSample({ accountId, webhookId, claim, moment }, decide) {
      const answered = await db.write(() =>
        answerOnce(db, claim, moment.now, () => {
          const { event, delivery, answer } = decide(selectWebhook(db, accountId, webhookId));
          insertEvent(db, event);
          const nextAttemptAt = dueFirst(db, webhookId, moment.now);
          insertDelivery(db, { ...delivery, nextAttemptAt });
          const queues = new ChangingQueues(db);
          queues.change(webhookId, healthAfterMending(queues.of(webhookId)));
          queues.write(moment.now);
          return answer;
        }),
      );
      queued();
      return answered;
    },
  };
}
