import { failuresBeforeBackoff, resumedHealth } from '@tradepost/domain/deliveries/endpoint-health';
import type { Announcements } from '@tradepost/domain/events/announcements';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import {
  resetHealth,
  type Webhook,
  type WebhookWithHealth,
} from '@tradepost/domain/webhooks/webhook';
import type { WebhookStore } from '@tradepost/domain/webhooks/webhook-store';
import { Conditions } from '../conditions';
import { secretPlaces } from '../encryption';
import { mergeBounds } from '../page-bounds';
import {
  accountLimits,
  disabledUpdate,
  webhookEvents,
  webhooks,
  webhookUpdate,
} from '../records/tables';
import {
  createWebhookFields,
  readWebhook,
  toDisabledRow,
  toWebhookRow,
  webhooksWithQueues,
} from '../records/webhook-fields';
import { insertAudit } from './audit';
import type { SqliteDatabase } from './database';
import { insertEvents } from './events';
import { eraseResponsesAbout, runIdempotent } from './idempotency';
import { insertQueue, isHeld, QueueUnitOfWork } from './queues';
import { sumStats } from './webhook-stats';

const webhookFields = createWebhookFields({
  pending: 'queues.depth',
  joinTypes: 'group_concat(event_type)',
});

function listWebhooks(
  db: SqliteDatabase,
  { sql, values }: Conditions,
  limit: number,
): WebhookWithHealth[] {
  const rest = `${webhooksWithQueues} WHERE ${sql} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return db.list(webhookFields, rest, ...values, limit).map((row) => readWebhook(db.secrets, row));
}

function insertSubscriptions(db: SqliteDatabase, { accountId, events, id }: Webhook): void {
  for (const eventType of events) db.insert(webhookEvents, { accountId, eventType, webhookId: id });
}

function deleteSubscriptions(db: SqliteDatabase, accountId: string, id: string): void {
  db.run('DELETE FROM webhook_events WHERE account_id = ? AND webhook_id = ?', accountId, id);
}

function insertWebhook(db: SqliteDatabase, webhook: Webhook): void {
  db.insert(webhooks, toWebhookRow(db.secrets, webhook));
  insertSubscriptions(db, webhook);
  insertQueue(db, webhook.id, isHeld(db, webhook));
}

function updateWebhook(db: SqliteDatabase, webhook: Webhook): void {
  db.update(webhookUpdate, toWebhookRow(db.secrets, webhook));
  deleteSubscriptions(db, webhook.accountId, webhook.id);
  insertSubscriptions(db, webhook);
}

function countWebhooks(db: SqliteDatabase, accountId: string): number {
  const row = db.get<{ count: number }>(
    'SELECT count(*) AS count FROM webhooks WHERE account_id = ? AND deleted_at IS NULL',
    accountId,
  );
  return row?.count ?? 0;
}

/** Returns a webhook that is not deleted, or null. */
function selectLiveWebhook(db: SqliteDatabase, id: string): WebhookWithHealth | null {
  const rest = `${webhooksWithQueues} WHERE webhooks.id = ? AND deleted_at IS NULL`;
  const row = db.find(webhookFields, rest, id);
  return row && readWebhook(db.secrets, row);
}

/** Returns the account's webhook with this ID, or null. Call inside a read or a write. */
export function selectWebhook(
  db: SqliteDatabase,
  accountId: string,
  id: string,
): WebhookWithHealth | null {
  const found = selectLiveWebhook(db, id);
  return found?.accountId === accountId ? found : null;
}

/** Returns the order of the last delivery that failed, or of the oldest one that waits; null if none of them is about an order. */
function selectFailedOrder(db: SqliteDatabase, webhookId: string): string | null {
  const find = (state: string, direction: string) =>
    db.get<{ orderId: string }>(
      `SELECT e.order_id AS orderId FROM deliveries AS d INDEXED BY deliveries_of_webhook
       JOIN events AS e ON e.id = d.event_id
       WHERE d.webhook_id = ? AND d.state = ? AND e.order_id IS NOT NULL
       ORDER BY d.created_at ${direction}, d.id ${direction} LIMIT 1`,
      webhookId,
      state,
    );
  return (find('failed', 'DESC') ?? find('pending', 'ASC'))?.orderId ?? null;
}

/** Creates the store of webhooks. Due deliveries are announced after the commit. */
export function createSqliteWebhookStore(
  db: SqliteDatabase,
  announcements: Announcements,
): WebhookStore {
  return {
    addWebhook: ({ accountId, idempotencyKey, context }, decide) =>
      db.write(() => {
        let id: string | null = null;
        const add = () => {
          const { webhook, response, audit } = decide(
            countWebhooks(db, accountId),
            db.find(accountLimits, 'FROM accounts WHERE id = ?', accountId)?.maxWebhooks ?? null,
          );
          insertWebhook(db, webhook);
          insertAudit(db, audit);
          id = webhook.id;
          return response;
        };
        return runIdempotent(db, idempotencyKey, context.now, add, () => id);
      }),

    listWebhooks: (accountId, { after, limit }) =>
      db.read(() => {
        const conditions = new Conditions()
          .add('account_id = ?', accountId)
          .add('deleted_at IS NULL')
          .addRange(mergeBounds({ after }));
        return listWebhooks(db, conditions, limit);
      }),

    listAllWebhooks: (accountId) =>
      db.read(() => {
        const conditions = new Conditions().add('deleted_at IS NULL');
        if (accountId !== undefined) conditions.add('account_id = ?', accountId);
        return listWebhooks(db, conditions, -1);
      }),

    findWebhook: (accountId, id) => db.read(() => selectWebhook(db, accountId, id)),

    sumStats: (webhookIds, query) => db.read(() => sumStats(db, webhookIds, query)),

    findOwner: (id) =>
      db.read(() => {
        const rest = 'FROM webhooks WHERE id = ? AND deleted_at IS NULL';
        return db.find(webhooks.only('accountId'), rest, id)?.accountId ?? null;
      }),

    async changeStatus({ accountId, id, status, context: { now } }, audit) {
      const isChanged = await db.write(() => {
        const changed = db.run(
          `UPDATE webhooks SET status = ?, disabled_at = NULL, updated_at = max(updated_at, ?)
           WHERE id = ? AND account_id = ? AND deleted_at IS NULL AND status <> ?`,
          status,
          now,
          id,
          accountId,
          status,
        );
        if (changed === 0) return false;
        insertAudit(db, audit);
        const queues = new QueueUnitOfWork(db);
        queues.change(id, {
          paused: isHeld(db, { accountId, status }),
          ...(status === 'active' && resumedHealth),
        });
        queues.write(now);
        return true;
      });
      announcements.notifyDeliveriesQueued();
      return isChanged;
    },

    async changeWebhook({ accountId, id, idempotencyKey, context }, decide) {
      const result = await db.write(() => {
        const change = () => {
          const found = selectWebhook(db, accountId, id);
          const { webhook, response, audit } = decide(found);
          if (found === null) throw missingRecord('Webhook', id);
          updateWebhook(db, webhook);
          insertAudit(db, audit);
          const queues = new QueueUnitOfWork(db);
          queues.change(id, {
            paused: isHeld(db, webhook),
            ...resetHealth(found, webhook),
          });
          queues.write(context.now);
          return response;
        };
        return runIdempotent(db, idempotencyKey, context.now, change, () => id);
      });
      announcements.notifyDeliveriesQueued();
      return result;
    },

    listFailing: ({ now, failingForMs, limit }) =>
      db.read(() =>
        db
          .all<{ id: string }>(
            // The index is named so that SQLite cannot choose another one because of statistics in the file.
            `SELECT webhook_id AS id FROM queues INDEXED BY queues_failing
             WHERE failing_since > 0 AND paused = 0 AND failing_since <= ? AND failed_at - failing_since >= ?
               AND failures >= ?
             ORDER BY failing_since LIMIT ?`,
            now - failingForMs,
            failingForMs,
            failuresBeforeBackoff,
            limit,
          )
          .map(({ id }) => id),
      ),

    async disableWebhook(id, context, decide) {
      const result = await db.write(() => {
        const found = selectLiveWebhook(db, id);
        const disabled = decide(found && { webhook: found, orderId: selectFailedOrder(db, id) });
        if (disabled === null) return null;
        db.update(disabledUpdate, toDisabledRow(disabled));
        insertAudit(db, disabled.audit);
        const queues = new QueueUnitOfWork(db);
        queues.change(id, { paused: true });
        queues.write(context.now);
        return { disabled, queued: insertEvents(db, [disabled.event], context) };
      });
      if (result === null) return null;
      announcements.notifyEvents([result.disabled.event], result.queued);
      return result.disabled;
    },

    deleteWebhook: (accountId, id, now, audit) =>
      db.write(() => {
        const changed = db.run(
          `UPDATE webhooks SET deleted_at = ?, status = 'paused', secret = '', staged_secret = NULL, headers = '', header_names = ''
           WHERE id = ? AND account_id = ? AND deleted_at IS NULL`,
          now,
          id,
          accountId,
        );
        if (changed === 0) return false;
        insertAudit(db, audit);
        deleteSubscriptions(db, accountId, id);
        eraseResponsesAbout(db, id);
        db.secrets.forget(secretPlaces.current(id));
        db.secrets.forget(secretPlaces.staged(id));
        db.secrets.forget(secretPlaces.headers(id));
        const queues = new QueueUnitOfWork(db);
        queues.change(id, { paused: true });
        queues.write(now);
        return true;
      }),
  };
}
