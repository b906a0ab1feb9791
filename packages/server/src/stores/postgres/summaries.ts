import type { AccountKind } from '@tradepost/contract/wire';
import { orderStatuses } from '@tradepost/contract/wire';
import type { CountedAccount, SummaryStore } from '@tradepost/domain/summary/summary';
import { partyColumns } from '../records/tables';
import type { PostgresDatabase } from './database';

/** Counts rows of a range of an index, up to a limit. The order is that of the index: without one, the planner may read the table from its start until it has found enough rows. */
const count = (rows: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${rows} ORDER BY created_at, id LIMIT $2) AS found)`;

/** One statement, which sees one state. Its parameters: the account, the limit, and the time. */
export function countAll(kind: AccountKind): string {
  const ofStatus = orderStatuses.map(
    (status) =>
      `'${status}', ${count(`orders WHERE ${partyColumns[kind]} = $1 AND status = '${status}'`)}`,
  );
  return `SELECT json_build_object(${ofStatus.join(', ')}) AS orders,
      ${count('notifications WHERE account_id = $1 AND read = FALSE')} AS unread,
      (SELECT json_build_object(
          'active', count(*) FILTER (WHERE status = 'active' AND backoff_until <= $3::bigint),
          'paused', count(*) FILTER (WHERE status <> 'active' AND disabled_at IS NULL),
          'disabled', count(*) FILTER (WHERE disabled_at IS NOT NULL),
          'backoff', count(*) FILTER (WHERE status = 'active' AND backoff_until > $3::bigint))
        FROM webhooks JOIN queues ON queues.webhook_id = webhooks.id
        WHERE account_id = $1 AND deleted_at IS NULL) AS webhooks`;
}

const statements = {
  buyer: countAll('buyer'),
  seller: countAll('seller'),
  agent: countAll('agent'),
};

/** Creates the store of summaries. */
export function createPostgresSummaryStore(db: PostgresDatabase): SummaryStore {
  return {
    async countAccount({ accountId, kind }, limit, now) {
      const row = await db.row<CountedAccount>(statements[kind], accountId, limit, now);
      if (row === undefined) throw new Error('A count has no row.');
      return row;
    },
  };
}
