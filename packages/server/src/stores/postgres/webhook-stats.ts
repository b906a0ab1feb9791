import type { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import type { StatsQuery, SummedStats } from '@tradepost/domain/webhooks/webhook-store';
import { webhookStats } from '../records/tables';
import { addToStored, summedStats } from '../records/webhook-stats';
import type { Queries, Transaction } from './database';
import type { WriteSet } from './write-set';

/** Adds what was counted to the statistics of webhooks, whose queues the transaction has locked: no other one changes these rows. */
export function addStats(writes: WriteSet, { rows }: StatsTally): void {
  if (rows.length === 0) return;
  const values = writes.bindRows(rows.map(webhookStats.toJson));
  writes.add(`${webhookStats.insertJson(values)} ${addToStored}`);
}

/** Sums up the statistics of webhooks. */
export function sumStats(
  queries: Queries,
  webhookIds: readonly string[],
  { width, since, until, bucketMs }: StatsQuery,
): Promise<SummedStats[]> {
  return queries.list(
    summedStats,
    `FROM (
       SELECT *, (start - $3) / $5 AS bucket FROM webhook_stats
       WHERE webhook_id = ANY ($1::text[]) AND width = $2 AND start >= $3 AND start < $4
     ) AS webhook_stats GROUP BY webhook_id, bucket`,
    webhookIds,
    width,
    since,
    until,
    bucketMs,
  );
}

/** Removes old buckets, up to `limit`. Returns how many. */
export function removeOldStats(
  tx: Transaction,
  { width, before, limit }: { width: number; before: number; limit: number },
): Promise<number> {
  return tx.run(
    `WITH old AS MATERIALIZED (
       SELECT webhook_id, width, start FROM webhook_stats
       WHERE width = $1 AND start < $2 ORDER BY start LIMIT $3 FOR UPDATE SKIP LOCKED)
     DELETE FROM webhook_stats AS s USING old
     WHERE s.webhook_id = old.webhook_id AND s.width = old.width AND s.start = old.start`,
    width,
    before,
    limit,
  );
}

/** Removes buckets of a webhook, up to `limit`. Returns how many. */
export function removeStats(tx: Transaction, webhookId: string, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM webhook_stats WHERE (webhook_id, width, start) IN (
       SELECT webhook_id, width, start FROM webhook_stats WHERE webhook_id = $1 LIMIT $2)`,
    webhookId,
    limit,
  );
}
