import { orderStatuses } from '@tradepost/contract/wire';
import type { CountedAccount, SummaryStore } from '@tradepost/domain/summary/summary';
import { partyColumns } from '../records/tables';
import type { SqliteDatabase } from './database';

/** Creates the store of summaries. The indexes are named because statistics in the file could make SQLite choose others, and scan more. */
export function createSqliteSummaryStore(db: SqliteDatabase): SummaryStore {
  function count(rows: string, ...values: unknown[]): number {
    const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM ${rows} LIMIT ?)`;
    return db.get<{ found: number }>(sql, ...values)?.found ?? 0;
  }

  return {
    countAccount: ({ accountId, kind }, limit, now) =>
      db.view(() => {
        const ofStatus = `orders INDEXED BY orders_of_${kind}_by_status
          WHERE ${partyColumns[kind]} = ? AND status = ?`;
        const counts = orderStatuses.map((status) => [
          status,
          count(ofStatus, accountId, status, limit),
        ]);
        const unread = count(
          'notifications INDEXED BY notifications_of_account_by_read WHERE account_id = ? AND read = 0',
          accountId,
          limit,
        );
        const [webhooks] = db.all<CountedAccount['webhooks']>(
          `SELECT count(*) FILTER (WHERE status = 'active' AND backoff_until <= ?) AS active,
             count(*) FILTER (WHERE status <> 'active' AND disabled_at IS NULL) AS paused,
             count(*) FILTER (WHERE disabled_at IS NOT NULL) AS disabled,
             count(*) FILTER (WHERE status = 'active' AND backoff_until > ?) AS backoff
           FROM webhooks INDEXED BY webhooks_of_account JOIN queues ON queues.webhook_id = webhooks.id
           WHERE account_id = ? AND deleted_at IS NULL`,
          now,
          now,
          accountId,
        );
        if (webhooks === undefined) throw new Error('A count has no row.');
        return {
          orders: Object.fromEntries(counts) as CountedAccount['orders'],
          unread,
          webhooks,
        };
      }),
  };
}
