import { eventTypes, type WebhookStatus } from '@tradepost/contract/wire';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import {
  shouldResetBackoff,
  type Webhook,
  type WebhookWithStats,
} from '@tradepost/domain/webhooks/webhook';
import type { WebhookStore } from '@tradepost/domain/webhooks/webhook-store';
import { secretPlaces } from '../encryption';
import { mergeBounds } from '../page-bounds';
import type { SqliteDatabase } from './database';
import { eraseResponsesAbout, runIdempotent } from './idempotency';
import { Conditions } from './page-range';
import { insertQueue, QueueUnitOfWork } from './queues';

interface WebhookRow {
  id: string;
  account_id: string;
  url: string;
  status: WebhookStatus;
  /** Encrypted if there is a secret key, like `staged_secret`. */
  secret: string;
  staged_secret: string | null;
  staged_at: number | null;
  created_at: number;
  updated_at: number;
  /** Event types, separated by commas. */
  kinds: string;
  depth: number;
  failures: number;
  backoff_until: number;
}

const withStats = `SELECT webhooks.*, queues.depth, queues.failures, queues.backoff_until,
    (SELECT group_concat(event_type) FROM webhook_events AS e
     WHERE e.webhook_id = webhooks.id AND e.account_id = webhooks.account_id) AS kinds
  FROM webhooks JOIN queues ON queues.webhook_id = webhooks.id`;

function readWebhook(db: SqliteDatabase, row: WebhookRow): WebhookWithStats {
  const eventTypesOfRow = new Set(row.kinds.split(','));
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    events: eventTypes.filter((eventType) => eventTypesOfRow.has(eventType)),
    status: row.status,
    // Decrypted when they are read: lists do not show them.
    get secret() {
      return db.secrets.decryptCached(secretPlaces.current(row.id), row.secret);
    },
    get stagedSecret() {
      if (row.staged_secret === null) return null;
      return db.secrets.decryptCached(secretPlaces.staged(row.id), row.staged_secret);
    },
    stagedAt: row.staged_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stats: { pending: row.depth, failures: row.failures, backoffUntil: row.backoff_until },
  };
}

function insertSubscriptions(db: SqliteDatabase, webhook: Webhook): void {
  for (const eventType of webhook.events) {
    db.run(
      'INSERT INTO webhook_events (account_id, event_type, webhook_id) VALUES (?, ?, ?)',
      webhook.accountId,
      eventType,
      webhook.id,
    );
  }
}

function deleteSubscriptions(db: SqliteDatabase, accountId: string, id: string): void {
  db.run('DELETE FROM webhook_events WHERE account_id = ? AND webhook_id = ?', accountId, id);
}

/** Encrypts the current and the staged secret of a webhook for its row. */
function encryptSecrets(
  { secrets }: SqliteDatabase,
  { id, secret, stagedSecret }: Webhook,
): [secret: string, stagedSecret: string | null] {
  return [
    secrets.encrypt(secretPlaces.current(id), secret),
    stagedSecret === null ? null : secrets.encrypt(secretPlaces.staged(id), stagedSecret),
  ];
}

function insertWebhook(db: SqliteDatabase, webhook: Webhook): void {
  const [secret, stagedSecret] = encryptSecrets(db, webhook);
  db.run(
    `INSERT INTO webhooks (id, account_id, url, status, secret, staged_secret, staged_at,
       created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    webhook.id,
    webhook.accountId,
    webhook.url,
    webhook.status,
    secret,
    stagedSecret,
    webhook.stagedAt,
    webhook.createdAt,
    webhook.updatedAt,
  );
  insertSubscriptions(db, webhook);
  insertQueue(db, webhook.id, webhook.status === 'paused');
}

function updateWebhook(db: SqliteDatabase, webhook: Webhook): void {
  const [secret, stagedSecret] = encryptSecrets(db, webhook);
  db.run(
    `UPDATE webhooks SET url = ?, status = ?, secret = ?, staged_secret = ?, staged_at = ?,
       updated_at = ? WHERE id = ?`,
    webhook.url,
    webhook.status,
    secret,
    stagedSecret,
    webhook.stagedAt,
    webhook.updatedAt,
    webhook.id,
  );
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

/** Returns the account's webhook with this ID, or null. Call inside a read or a write. */
export function selectWebhook(
  db: SqliteDatabase,
  accountId: string,
  id: string,
): WebhookWithStats | null {
  const row = db.get<WebhookRow>(
    `${withStats} WHERE webhooks.id = ? AND account_id = ? AND deleted_at IS NULL`,
    id,
    accountId,
  );
  return row === undefined ? null : readWebhook(db, row);
}

/** Creates the store of webhooks. `onQueued` is called after a commit that made deliveries due. */
export function createSqliteWebhookStore(db: SqliteDatabase, onQueued: () => void): WebhookStore {
  return {
    addWebhook: ({ accountId, idempotencyKey, context }, decide) =>
      db.write(() => {
        let id: string | null = null;
        const add = () => {
          const { webhook, response } = decide(countWebhooks(db, accountId));
          insertWebhook(db, webhook);
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
        return db
          .all<WebhookRow>(
            `${withStats} WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT ?`,
            ...conditions.values,
            limit,
          )
          .map((row) => readWebhook(db, row));
      }),

    listAllWebhooks: (accountId) =>
      db.read(() => {
        const conditions = new Conditions().add('deleted_at IS NULL');
        if (accountId !== undefined) conditions.add('account_id = ?', accountId);
        return db
          .all<WebhookRow>(
            `${withStats} WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC`,
            ...conditions.values,
          )
          .map((row) => readWebhook(db, row));
      }),

    findWebhook: (accountId, id) => db.read(() => selectWebhook(db, accountId, id)),

    async changeWebhook({ accountId, id, idempotencyKey, context }, decide) {
      const result = await db.write(() => {
        const change = () => {
          const found = selectWebhook(db, accountId, id);
          const { webhook, response } = decide(found);
          if (found === null) throw new Error(`Webhook ${id} does not exist.`);
          updateWebhook(db, webhook);
          const queues = new QueueUnitOfWork(db);
          queues.change(id, {
            paused: webhook.status === 'paused',
            ...(shouldResetBackoff(found, webhook) && resetBackoff(queues.get(id))),
          });
          queues.write(context.now);
          return response;
        };
        return runIdempotent(db, idempotencyKey, context.now, change, () => id);
      });
      onQueued();
      return result;
    },

    deleteWebhook: (accountId, id, now) =>
      db.write(() => {
        const changed = db.run(
          `UPDATE webhooks SET deleted_at = ?, status = 'paused', secret = '', staged_secret = NULL
           WHERE id = ? AND account_id = ? AND deleted_at IS NULL`,
          now,
          id,
          accountId,
        );
        if (changed === 0) return false;
        deleteSubscriptions(db, accountId, id);
        eraseResponsesAbout(db, id);
        db.secrets.forget(secretPlaces.current(id));
        db.secrets.forget(secretPlaces.staged(id));
        const queues = new QueueUnitOfWork(db);
        queues.change(id, { paused: true });
        queues.write(now);
        return true;
      }),
  };
}
