import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { machineTime } from './loops';

/** The number of rows that are subject to retention, at one time. */
export interface PrunableRows {
  /** Expired rows. */
  old: number;
  /** All others. */
  young: number;
  /** When they were counted. Machine time. */
  at: number;
}

/** The condition for an old row of each table. The events of the seed are recent. */
const isOld: Record<string, string> = {
  events: 'created_at < :before',
  account_events: 'event_id < (SELECT min(id) FROM events WHERE created_at >= :before)',
  notifications: 'created_at < :before',
  deliveries: 'created_at < :before',
  attempts: 'started_at < :before',
  idempotency_keys: 'expires_at < :before',
};
const pause = 100;

/** Counts the rows of a database that are subject to retention. */
export function countPrunable(file: string, oldBefore: number): PrunableRows {
  const connection = new Database(file, { readonly: true });
  try {
    const counts = Object.entries(isOld).map(
      ([table, old]) =>
        `SELECT count(*) AS whole, count(CASE WHEN ${old} THEN 1 END) AS old FROM ${table}`,
    );
    const sum = connection.prepare<[{ before: number }], { whole: number; old: number }>(
      `SELECT sum(whole) AS whole, sum(old) AS old FROM (${counts.join(' UNION ALL ')})`,
    );
    // A single statement reads a consistent state.
    const at = machineTime();
    const { whole, old } = sum.get({ before: oldBefore }) ?? { whole: 0, old: 0 };
    return { old, young: whole - old, at };
  } finally {
    connection.close();
  }
}

/** Remembers what is pruned first: idempotency keys. Returns a function that waits until a server has started to prune. */
export function watchPruning(file: string): () => Promise<void> {
  const oldest = '(SELECT min(expires_at) FROM idempotency_keys)';
  const remembered = query(file, `SELECT ${oldest}`);
  return () => until(file, `SELECT ${oldest} IS ?`, remembered);
}

/** Waits until no idempotency key is left that has expired. */
export async function untilKeysArePruned(file: string): Promise<void> {
  const expired = 'SELECT 1 FROM idempotency_keys WHERE expires_at <= ?';
  await until(file, `SELECT EXISTS (${expired})`, Date.now());
}

/** Waits until no delivery is pending. */
export async function untilDelivered(file: string): Promise<void> {
  await until(file, "SELECT EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending')");
}

function query(file: string, sql: string, ...values: unknown[]): unknown {
  const connection = new Database(file, { readonly: true });
  try {
    return connection
      .prepare(sql)
      .pluck()
      .get(...values);
  } finally {
    connection.close();
  }
}

/** Waits as long as a query finds 1. */
async function until(file: string, sql: string, ...values: unknown[]): Promise<void> {
  while (query(file, sql, ...values) === 1) await setTimeout(pause);
}
