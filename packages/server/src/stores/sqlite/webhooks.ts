import type { Webhook } from '../../webhooks/webhook';
import type { WebhookStore } from '../../webhooks/webhook-store';
import type { SqliteDatabase } from './database';
import { answerOnce } from './idempotency';

function insertWebhook(db: SqliteDatabase, webhook: Webhook): void {
  db.run(
    `INSERT INTO webhooks (id, account_id, url, status, secret, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    webhook.id,
    webhook.accountId,
    webhook.url,
    webhook.status,
    webhook.secret,
    webhook.createdAt,
    webhook.updatedAt,
  );
  for (const kind of webhook.events) {
    db.run(
      'INSERT INTO webhook_events (account_id, kind, webhook_id) VALUES (?, ?, ?)',
      webhook.accountId,
      kind,
      webhook.id,
    );
  }
}

function countWebhooks(db: SqliteDatabase, accountId: string): number {
  const row = db.get<{ count: number }>(
    'SELECT count(*) AS count FROM webhooks WHERE account_id = ?',
    accountId,
  );
  return row?.count ?? 0;
}

/** Webhooks in SQLite. */
export function sqliteWebhooks(db: SqliteDatabase): WebhookStore {
  return {
    addWebhook: ({ accountId, claim, moment }, decide) =>
      db.write(() =>
        answerOnce(db, claim, moment.now, () => {
          const { webhook, answer } = decide(countWebhooks(db, accountId));
          insertWebhook(db, webhook);
          return answer;
        }),
      ),
  };
}
