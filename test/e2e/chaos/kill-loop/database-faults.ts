import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { SeededRandom } from '../../../helpers/seeded-random';

/** The row that a forgotten transaction locks. */
export type LockedRow = 'listing' | 'order' | 'queue';

/** Select a few busy rows of each kind, by their IDs. */
const busyRows: Record<LockedRow, { table: string; id: string; sql: string }> = {
  listing: {
    table: 'listings',
    id: 'id',
    sql: 'SELECT id FROM listings ORDER BY available_quantity DESC LIMIT 2',
  },
  order: {
    table: 'orders',
    id: 'id',
    sql: 'SELECT id FROM orders ORDER BY created_at DESC LIMIT 10',
  },
  queue: { table: 'queues', id: 'webhook_id', sql: 'SELECT webhook_id AS id FROM queues' },
};

/** Longer than statements wait for a lock, and than requests wait for a connection, at times. In milliseconds. */
const maxDurationMs = 2_500;

/** How long a fault lasts is drawn as well. */
async function last(random: SeededRandom): Promise<void> {
  await setTimeout(random.below(maxDurationMs));
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Ends all connections of servers. Those in the middle of a transaction lose it. */
async function terminate(admin: pg.Client): Promise<void> {
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'tradepost%'",
  );
}

/** Ends all connections of servers, perhaps several times in a row. */
export async function terminateConnections(url: string, random: SeededRandom): Promise<void> {
  const admin = await connect(url);
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    await terminate(admin);
    if (left > 1) await setTimeout(random.below(300));
  }
  await admin.end();
}

/** How many connections are opened at once. */
const batch = 10;
/** Source: PostgreSQL, "Error codes". */
const tooManyConnections = '53300';

function getCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Takes all connections that the database has left, and perhaps those of the servers, too. */
export async function exhaustConnections(url: string, random: SeededRandom): Promise<void> {
  const admin = await connect(url);
  const taken: pg.Client[] = [];
  const takeAll = async () => {
    for (let isFull = false; !isFull; ) {
      const results = await Promise.allSettled(Array.from({ length: batch }, () => connect(url)));
      for (const result of results) {
        if (result.status === 'fulfilled') taken.push(result.value);
        else if (getCode(result.reason) === tooManyConnections) isFull = true;
        else throw result.reason;
      }
    }
  };
  await takeAll();
  if (random.chance(0.6)) {
    await terminate(admin);
    await takeAll();
  }
  await last(random);
  await Promise.all([admin, ...taken].map((client) => client.end()));
}

/** Locks a row in a transaction that does nothing more, then ends it. */
export async function lockRow(url: string, row: LockedRow, random: SeededRandom): Promise<void> {
  const { table, id, sql } = busyRows[row];
  const client = await connect(url);
  const { rows } = await client.query<{ id: string }>(sql);
  await client.query('BEGIN');
  await client.query(`SELECT 1 FROM ${table} WHERE ${id} = $1 FOR UPDATE`, [random.pick(rows).id]);
  await last(random);
  if (random.chance(0.5)) await client.query('ROLLBACK');
  await client.end();
}
