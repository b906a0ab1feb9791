import type { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import type { StatsQuery, SummedStats } from '@tradepost/domain/webhooks/webhook-store';
import { webhookStats } from '../records/tables';
import { addToStored, summedStats } from '../records/webhook-stats';
import type { SqliteDatabase } from './database';

const addRow = `${webhookStats.insert} ${addToStored}`;

/** Adds to the statistics of webhooks. Call inside a write. */
export function addStats(db: SqliteDatabase, { rows }: StatsTally): void {
  for (const row of rows) db.run(addRow, webhookStats.write(row));
}

/** Sums up the statistics of webhooks. Call inside a read. */
export function sumStats(
  db: SqliteDatabase,
  webhookIds: readonly string[],
  { width, since, until, bucketMs }: StatsQuery,
): SummedStats[] {
  // The driver passes times as floating-point numbers.
  return db.list(
    summedStats,
    `FROM (
       SELECT *, CAST((start - ?) / ? AS INTEGER) AS bucket FROM webhook_stats
       WHERE webhook_id IN (SELECT value FROM json_each(?)) AND width = ? AND start >= ? AND start < ?
     ) AS webhook_stats GROUP BY webhook_id, bucket`,
    since,
    bucketMs,
    JSON.stringify(webhookIds),
    width,
    since,
    until,
  );
}

/** Removes old buckets, up to `limit`. Returns how many. Call inside a write. */
export function removeOldStats(
  db: SqliteDatabase,
  { width, before }: { width: number; before: number },
  limit: number,
): number {
  return db.run(
    `DELETE FROM webhook_stats WHERE (webhook_id, width, start) IN (
       SELECT webhook_id, width, start FROM webhook_stats WHERE width = ? AND start < ?
       ORDER BY start LIMIT ?)`,
    width,
    before,
    limit,
  );
}

/** Removes buckets of a webhook, up to `limit`. Returns how many. Call inside a write. */
export function removeStats(db: SqliteDatabase, webhookId: string, limit: number): number {
  return db.run(
    `DELETE FROM webhook_stats WHERE (webhook_id, width, start) IN (
       SELECT webhook_id, width, start FROM webhook_stats WHERE webhook_id = ? LIMIT ?)`,
    webhookId,
    limit,
  );
}
