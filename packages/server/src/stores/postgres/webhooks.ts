import { failuresBeforeBackoff, resumedHealth } from '@tradepost/domain/deliveries/endpoint-health';
import type { DomainEvent } from '@tradepost/domain/events/event';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import {
  resetHealth,
  type Webhook,
  type WebhookWithHealth,
} from '@tradepost/domain/webhooks/webhook';
import type { WebhookStore } from '@tradepost/domain/webhooks/webhook-store';
import { NumberedConditions } from '../conditions';
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
import type { PostgresDatabase, Queries, Transaction } from './database';
import { addEvents } from './events';
import { eraseResponsesAbout, writeIdempotent } from './idempotency';
import { insertQueue, isHeld, QueueUnitOfWork } from './queues';
import { sumStats } from './webhook-stats';
import { insert, update, WriteSet } from './write-set';

const webhookFields = createWebhookFields({
  pending: `(queues.depth + (
    SELECT coalesce(sum(deliveries), 0) FROM queue_signals WHERE webhook_id = webhooks.id))::bigint`,
  joinTypes: "string_agg(event_type, ',')",
});

async function listWebhooks(
  db: PostgresDatabase,
  conditions: NumberedConditions,
  limit: number | null,
): Promise<WebhookWithHealth[]> {
  const rest = `${webhooksWithQueues} WHERE ${conditions.sql}
    ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)}`;
  const rows = await db.list(webhookFields, rest, ...conditions.values);
  return rows.map((row) => readWebhook(db.secrets, row));
}

function insertSubscriptions(tx: Transaction, { accountId, events, id }: Webhook): void {
  const rows = events.map((eventType) => ({ accountId, eventType, webhookId: id }));
  insert(tx, webhookEvents, rows);
}

function deleteSubscriptions(tx: Transaction, accountId: string, id: string): void {
  tx.send('DELETE FROM webhook_events WHERE account_id = $1 AND webhook_id = $2', accountId, id);
}

async function insertWebhook(
  db: PostgresDatabase,
  tx: Transaction,
  webhook: Webhook,
): Promise<void> {
  insert(tx, webhooks, [toWebhookRow(db.secrets, webhook)]);
  insertQueue(tx, webhook.id, await isHeld(tx, webhook));
  insertSubscriptions(tx, webhook);
}

function updateWebhook(db: PostgresDatabase, tx: Transaction, webhook: Webhook): void {
  update(tx, webhookUpdate, toWebhookRow(db.secrets, webhook));
  deleteSubscriptions(tx, webhook.accountId, webhook.id);
  insertSubscriptions(tx, webhook);
}

/** Locks an account, so that its webhooks are added one after another, and returns how many it has and may have. */
async function countWebhooks(
  tx: Transaction,
  accountId: string,
): Promise<[count: number, limit: number | null]> {
  const account = await tx.find(
    accountLimits,
    'FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
    accountId,
  );
  const row = await tx.row<{ count: number }>(
    'SELECT count(*) AS count FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL',
    accountId,
  );
  return [row?.count ?? 0, account?.maxWebhooks ?? null];
}

/** Returns those of some webhooks that are not deleted. */
export async function selectWebhooks(
  db: PostgresDatabase,
  queries: Queries,
  ids: readonly string[],
): Promise<WebhookWithHealth[]> {
  const rest = `${webhooksWithQueues} WHERE webhooks.id = ANY ($1::text[]) AND deleted_at IS NULL`;
  const rows = await queries.list(webhookFields, rest, ids);
  return rows.map((row) => readWebhook(db.secrets, row));
}

async function selectWebhook(
  db: PostgresDatabase,
  queries: Queries,
  accountId: string,
  id: string,
): Promise<WebhookWithHealth | null> {
  const [found] = await selectWebhooks(db, queries, [id]);
  return found?.accountId === accountId ? found : null;
}

/** Locks a webhook of an account and returns it, or null if the account has none with this ID. */
async function lockWebhook(
  db: PostgresDatabase,
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<WebhookWithHealth | null> {
  tx.send('SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', id);
  return await selectWebhook(db, tx, accountId, id);
}

/** Returns the order of the last delivery that failed, or of the oldest one that waits; null if none of them is about an order. */
async function selectFailedOrder(tx: Transaction, webhookId: string): Promise<string | null> {
  const select = (from: string, direction: string) =>
    tx.row<{ orderId: string }>(
      `SELECT e.order_id AS "orderId" FROM ${from} AND e.order_id IS NOT NULL
       ORDER BY d.created_at ${direction}, d.id ${direction} LIMIT 1`,
      webhookId,
    );
  const events = 'JOIN events AS e ON e.id = d.event_id WHERE d.webhook_id = $1';
  const found =
    (await select(`deliveries AS d ${events} AND d.state = 'failed'`, 'DESC')) ??
    (await select(`pending_deliveries AS d ${events}`, 'ASC'));
  return found?.orderId ?? null;
}

/**
 * Creates the store of webhooks.
 *
 * @param onQueued Called after a commit that made deliveries due.
 * @param onEvents Called after a commit that wrote events, with how many deliveries they queued.
 */
export function createPostgresWebhookStore(
  db: PostgresDatabase,
  onQueued: () => void,
  onEvents: (events: DomainEvent[], queued: number) => void,
): WebhookStore {
  return {
    addWebhook: ({ accountId, idempotencyKey, context }, decide) =>
      writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const { webhook, response, audit } = decide(...(await countWebhooks(tx, accountId)));
        await insertWebhook(db, tx, webhook);
        insertAudit(tx, audit);
        return { response, webhookId: webhook.id };
      }),

    async listWebhooks(accountId, { after, limit }) {
      const conditions = new NumberedConditions()
        .add('account_id = ?', accountId)
        .add('deleted_at IS NULL')
        .addRange(mergeBounds({ after }));
      return await listWebhooks(db, conditions, limit);
    },

    async listAllWebhooks(accountId) {
      const conditions = new NumberedConditions().add('deleted_at IS NULL');
      if (accountId !== undefined) conditions.add('account_id = ?', accountId);
      return await listWebhooks(db, conditions, null);
    },

    findWebhook: (accountId, id) => selectWebhook(db, db, accountId, id),

    sumStats: (webhookIds, query) => sumStats(db, webhookIds, query),

    async findOwner(id) {
      const rest = 'FROM webhooks WHERE id = $1 AND deleted_at IS NULL';
      return (await db.find(webhooks.only('accountId'), rest, id))?.accountId ?? null;
    },

    async changeStatus({ accountId, id, status, context: { now } }, audit) {
      const isChanged = await db.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE webhooks SET status = $3, disabled_at = NULL, updated_at = greatest(updated_at, $4::bigint)
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL AND status <> $3`,
          id,
          accountId,
          status,
          now,
        );
        if (changed === 0) return false;
        insertAudit(tx, audit);
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        queues.change(id, {
          paused: await isHeld(tx, { accountId, status }),
          ...(status === 'active' && resumedHealth),
        });
        queues.write(tx, now);
        return true;
      });
      onQueued();
      return isChanged;
    },

    async changeWebhook({ accountId, id, idempotencyKey, context }, decide) {
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const found = await lockWebhook(db, tx, accountId, id);
        const { webhook, response, audit } = decide(found);
        if (found === null) throw missingRecord('Webhook', id);
        updateWebhook(db, tx, webhook);
        insertAudit(tx, audit);
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        queues.change(id, {
          paused: await isHeld(tx, webhook),
          ...resetHealth(found, webhook),
        });
        queues.write(tx, context.now);
        return { response, webhookId: id };
      });
      onQueued();
      return result;
    },

    async listFailing({ now, failingForMs, limit }) {
      const rows = await db.rows<{ id: string }>(
        `SELECT webhook_id AS id FROM queues
         WHERE failing_since > 0 AND NOT paused AND failing_since <= $1 AND failed_at - failing_since >= $2 AND failures >= $3
         ORDER BY failing_since LIMIT $4`,
        now - failingForMs,
        failingForMs,
        failuresBeforeBackoff,
        limit,
      );
      return rows.map(({ id }) => id);
    },

    async disableWebhook(id, context, decide) {
      const result = await db.write(async (tx) => {
        tx.send('SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', id);
        // Before the webhook is read, so that no attempt is recorded after it was decided on.
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        const [webhook] = await selectWebhooks(db, tx, [id]);
        const orderId = webhook ? await selectFailedOrder(tx, id) : null;
        const disabled = decide(webhook ? { webhook, orderId } : null);
        if (disabled === null) return null;
        update(tx, disabledUpdate, toDisabledRow(disabled));
        insertAudit(tx, disabled.audit);
        queues.change(id, { paused: true });
        queues.write(tx, context.now);
        const change = { events: [disabled.event], context, traceContext: null };
        const writes = new WriteSet();
        const nothing = { accountIds: [], subscriptions: [] };
        const [queued = 0] = await addEvents(tx, writes, [change], nothing, db.deliveryRoom);
        writes.send(tx);
        return { disabled, queued };
      });
      if (result === null) return null;
      onEvents([result.disabled.event], result.queued);
      return result.disabled;
    },

    async deleteWebhook(accountId, id, now, audit) {
      const isDeleted = await db.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE webhooks SET deleted_at = $3, status = 'paused', secret = '', staged_secret = NULL, headers = '', header_names = ''
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
          id,
          accountId,
          now,
        );
        if (changed === 0) return false;
        insertAudit(tx, audit);
        deleteSubscriptions(tx, accountId, id);
        eraseResponsesAbout(tx, id);
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        queues.change(id, { paused: true });
        queues.write(tx, now);
        return true;
      });
      db.secrets.forget(secretPlaces.current(id));
      db.secrets.forget(secretPlaces.staged(id));
      db.secrets.forget(secretPlaces.headers(id));
      return isDeleted;
    },
  };
}
