import { type EventType, eventTypes } from '@tradepost/contract/wire';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import {
  shouldResetBackoff,
  type Webhook,
  type WebhookWithStats,
} from '@tradepost/domain/webhooks/webhook';
import type { WebhookStore } from '@tradepost/domain/webhooks/webhook-store';
import { secretPlaces } from '../encryption';
import { mergeBounds } from '../page-bounds';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { eraseResponsesAbout, writeIdempotent } from './idempotency';
import { Conditions } from './page-range';
import { insertQueue, QueueUnitOfWork } from './queues';

interface WebhookRow extends Omit<Webhook, 'events'> {
  eventTypes: EventType[];
  pending: number;
  failures: number;
  backoffUntil: number;
}

const withStats = `SELECT webhooks.id, webhooks.account_id AS "accountId", webhooks.url, webhooks.status,
    webhooks.secret, webhooks.staged_secret AS "stagedSecret", webhooks.staged_at AS "stagedAt",
    webhooks.created_at AS "createdAt", webhooks.updated_at AS "updatedAt", queues.failures,
    queues.backoff_until AS "backoffUntil",
    queues.depth + (
      SELECT count(*) FROM deliveries WHERE NOT counted AND webhook_id = webhooks.id) AS pending,
    ARRAY(
      SELECT event_type FROM webhook_events AS e
      WHERE e.webhook_id = webhooks.id AND e.account_id = webhooks.account_id) AS "eventTypes"
  FROM webhooks JOIN queues ON queues.webhook_id = webhooks.id`;

function readWebhook({ secrets }: PostgresDatabase, row: WebhookRow): WebhookWithStats {
  const { id, secret, stagedSecret } = row;
  return {
    id,
    accountId: row.accountId,
    url: row.url,
    events: eventTypes.filter((eventType) => row.eventTypes.includes(eventType)),
    status: row.status,
    // Decrypted when they are read: lists do not show them.
    get secret() {
      return secrets.decryptCached(secretPlaces.current(id), secret);
    },
    get stagedSecret() {
      if (stagedSecret === null) return null;
      return secrets.decryptCached(secretPlaces.staged(id), stagedSecret);
    },
    stagedAt: row.stagedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    stats: { pending: row.pending, failures: row.failures, backoffUntil: row.backoffUntil },
  };
}

function insertSubscriptions(tx: Transaction, { accountId, events, id }: Webhook): void {
  tx.send(
    `INSERT INTO webhook_events (account_id, event_type, webhook_id)
     SELECT $1, e.event_type, $3 FROM unnest($2::text[]) AS e (event_type)`,
    accountId,
    events,
    id,
  );
}

function deleteSubscriptions(tx: Transaction, accountId: string, id: string): void {
  tx.send('DELETE FROM webhook_events WHERE account_id = $1 AND webhook_id = $2', accountId, id);
}

/** Encrypts the current and the staged secret of a webhook for its row. */
function encryptSecrets(
  { secrets }: PostgresDatabase,
  { id, secret, stagedSecret }: Webhook,
): [secret: string, stagedSecret: string | null] {
  return [
    secrets.encrypt(secretPlaces.current(id), secret),
    stagedSecret === null ? null : secrets.encrypt(secretPlaces.staged(id), stagedSecret),
  ];
}

function insertWebhook(db: PostgresDatabase, tx: Transaction, webhook: Webhook): void {
  tx.send(
    `INSERT INTO webhooks (id, account_id, url, status, secret, staged_secret, staged_at, created_at,
       updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    webhook.id,
    webhook.accountId,
    webhook.url,
    webhook.status,
    ...encryptSecrets(db, webhook),
    webhook.stagedAt,
    webhook.createdAt,
    webhook.updatedAt,
  );
  insertQueue(tx, webhook.id, webhook.status === 'paused');
  insertSubscriptions(tx, webhook);
}

function updateWebhook(db: PostgresDatabase, tx: Transaction, webhook: Webhook): void {
  tx.send(
    `UPDATE webhooks SET url = $2, status = $3, secret = $4, staged_secret = $5, staged_at = $6,
       updated_at = $7 WHERE id = $1`,
    webhook.id,
    webhook.url,
    webhook.status,
    ...encryptSecrets(db, webhook),
    webhook.stagedAt,
    webhook.updatedAt,
  );
  deleteSubscriptions(tx, webhook.accountId, webhook.id);
  insertSubscriptions(tx, webhook);
}

/** Locks an account, so that its webhooks are added one after another, and returns how many it has. */
async function countWebhooks(tx: Transaction, accountId: string): Promise<number> {
  tx.send('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', accountId);
  const row = await tx.row<{ count: number }>(
    'SELECT count(*) AS count FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL',
    accountId,
  );
  return row?.count ?? 0;
}

async function selectWebhook(
  db: PostgresDatabase,
  queries: Queries,
  accountId: string,
  id: string,
): Promise<WebhookWithStats | null> {
  const row = await queries.row<WebhookRow>(
    `${withStats} WHERE webhooks.id = $1 AND account_id = $2 AND deleted_at IS NULL`,
    id,
    accountId,
  );
  return row === undefined ? null : readWebhook(db, row);
}

/** Locks a webhook of an account and returns it, or null if the account has none with this ID. */
export async function lockWebhook(
  db: PostgresDatabase,
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<WebhookWithStats | null> {
  tx.send('SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', id);
  return await selectWebhook(db, tx, accountId, id);
}

/** Creates the store of webhooks. `onQueued` is called after a commit that made deliveries due. */
export function createPostgresWebhookStore(
  db: PostgresDatabase,
  onQueued: () => void,
): WebhookStore {
  return {
    addWebhook: ({ accountId, idempotencyKey, context }, decide) =>
      writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const { webhook, response } = decide(await countWebhooks(tx, accountId));
        insertWebhook(db, tx, webhook);
        return { response, webhookId: webhook.id };
      }),

    async listWebhooks(accountId, { after, limit }) {
      const conditions = new Conditions()
        .add('account_id = ?', accountId)
        .add('deleted_at IS NULL')
        .addRange(mergeBounds({ after }));
      const rows = await db.rows<WebhookRow>(
        `${withStats} WHERE ${conditions.sql}
         ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)}`,
        ...conditions.values,
      );
      return rows.map((row) => readWebhook(db, row));
    },

    async listAllWebhooks(accountId) {
      const conditions = new Conditions().add('deleted_at IS NULL');
      if (accountId !== undefined) conditions.add('account_id = ?', accountId);
      const rows = await db.rows<WebhookRow>(
        `${withStats} WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC`,
        ...conditions.values,
      );
      return rows.map((row) => readWebhook(db, row));
    },

    findWebhook: (accountId, id) => selectWebhook(db, db, accountId, id),

    async changeWebhook({ accountId, id, idempotencyKey, context }, decide) {
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const found = await lockWebhook(db, tx, accountId, id);
        const { webhook, response } = decide(found);
        if (found === null) throw new Error(`Webhook ${id} does not exist.`);
        updateWebhook(db, tx, webhook);
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        queues.change(id, {
          paused: webhook.status === 'paused',
          ...(shouldResetBackoff(found, webhook) && resetBackoff(queues.get(id))),
        });
        queues.write(tx, context.now);
        return { response, webhookId: id };
      });
      onQueued();
      return result;
    },

    async deleteWebhook(accountId, id, now) {
      const isDeleted = await db.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE webhooks SET deleted_at = $3, status = 'paused', secret = '', staged_secret = NULL
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
          id,
          accountId,
          now,
        );
        if (changed === 0) return false;
        deleteSubscriptions(tx, accountId, id);
        eraseResponsesAbout(tx, id);
        const queues = await QueueUnitOfWork.lock(tx, [id]);
        queues.change(id, { paused: true });
        queues.write(tx, now);
        return true;
      });
      db.secrets.forget(secretPlaces.current(id));
      db.secrets.forget(secretPlaces.staged(id));
      return isDeleted;
    },
  };
}
