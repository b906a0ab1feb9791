import Database from 'better-sqlite3';
import pg from 'pg';
import type { TradingAccounts } from './trading-accounts';

/** The time between two orders, in milliseconds. */
const intervalMs = 1_000;

const statuses = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'];
const statusOfNumber = `CASE n % 5 ${statuses.map((one, at) => `WHEN ${at} THEN '${one}'`).join(' ')} END`;
const body = `'{"event":"order.created","createdAt":"2026-01-01T00:00:00.000Z","data":{"status":"pending"}}'`;

/** Rows to add for each number `n`: expressions of SQL by column. */
interface Rows {
  table: string;
  columns: Record<string, string>;
}

/** Writes numbers as the ends of IDs. */
type Padded = (number: string) => string;

/** Returns the ID of a filled order. */
export function filledOrderId(number: number): string {
  return `ord_${String(number).padStart(26, '0')}`;
}

/** Lists the rows that both databases have alike, and what differs as parameters. */
function listRows(
  { buyer, seller, agent, listingId, webhooks }: TradingAccounts,
  count: number,
  padded: Padded,
  isSqlite: boolean,
): Rows[] {
  const at = `(${Date.now() - count * intervalMs} + n * ${intervalMs})`;
  const id = (prefix: string, number = 'n') => `'${prefix}_' || ${padded(number)}`;
  const accounts = [buyer.id, seller.id, agent.id];
  const ids = { event_id: id('evt'), created_at: at };
  const parties = {
    buyer_id: `'${buyer.id}'`,
    seller_id: `'${seller.id}'`,
    agent_id: `'${agent.id}'`,
  };
  return [
    {
      table: 'orders',
      columns: {
        ...{ id: id('ord'), status: statusOfNumber, ...parties, listing_id: `'${listingId}'` },
        ...{ quantity: '1', version: '1', created_at: at, updated_at: at },
      },
    },
    {
      table: 'events',
      columns: {
        ...{ id: id('evt'), event_type: "'order.created'", order_id: id('ord'), body },
        ...{
          created_at: at,
          order_version: '1',
          actor_id: parties.buyer_id,
          actor_kind: "'buyer'",
        },
      },
    },
    ...accounts.flatMap((account, place): Rows[] => [
      {
        table: 'account_events',
        columns: {
          // As in an event log: 1,024 numbers for each millisecond.
          ...{ seq: `${at} * 1024 + ${place}`, account_id: `'${account}'`, event_id: ids.event_id },
          ...(!isSqlite && { created_at: at }),
        },
      },
      {
        table: 'notifications',
        columns: {
          ...{ id: id('ntf', `n * 3 + ${place}`), account_id: `'${account}'`, ...ids },
          ...{ type: "'order_created'", order_id: id('ord'), message: "''", read: 'n % 2 = 0' },
        },
      },
    ]),
    ...webhooks.flatMap((webhook, place): Rows[] => {
      const number = `(n * ${webhooks.length} + ${place})`;
      const seq = `${number} + 1`;
      const delivery = id('dlv', number);
      return [
        {
          table: 'deliveries',
          columns: {
            ...{
              id: delivery,
              ...ids,
              webhook_id: `'${webhook.id}'`,
              test: 'FALSE',
              attempts: '1',
            },
            ...{ event_type: "'order.created'", state: "'delivered'", last_status: '204' },
            ...{ deadline_at: `${at} + 86400000`, finished_at: `${at} + 50` },
            ...(isSqlite && { seq, tries: '1' }),
          },
        },
        {
          table: 'attempts',
          columns: {
            ...(isSqlite ? { delivery_seq: seq } : { delivery_id: delivery }),
            ...{
              number: '1',
              started_at: at,
              duration_ms: '50',
              url: "'https://receiver.example/'",
            },
            ...{ headers: "'{}'", status: '204', response_snippet: "''" },
          },
        },
      ];
    }),
  ];
}

const insert = ({ table, columns }: Rows, numbers: string) =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   SELECT ${Object.values(columns).join(', ')} FROM ${numbers}`;

/**
 * Adds orders, an event of each with entries in the logs and notifications of all three accounts, and a delivery with an attempt to
 * each webhook of the seller. All orders are of the same accounts. Nothing else may use the database.
 *
 * @param database The path of a SQLite file or the URL of a PostgreSQL database.
 */
export async function fillPasts(
  database: string,
  trade: TradingAccounts,
  count: number,
): Promise<void> {
  if (!database.startsWith('postgres')) {
    fillSqlite(database, trade, count);
    return;
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const padded = (number: string) => `lpad((${number})::text, 26, '0')`;
    const numbers = `generate_series(0::bigint, ${count - 1}) AS numbers (n)`;
    for (const rows of listRows(trade, count, padded, false))
      await client.query(insert(rows, numbers));
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

function fillSqlite(file: string, trade: TradingAccounts, count: number): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    // Millions of new rows need no journal on disk: they would be written twice.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    db.pragma('foreign_keys = OFF');
    const padded = (number: string) => `format('%026d', ${number})`;
    const numbers = `(WITH RECURSIVE numbers (n) AS (
      SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count}) SELECT n FROM numbers)`;
    for (const rows of listRows(trade, count, padded, true)) db.exec(insert(rows, numbers));
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
}
