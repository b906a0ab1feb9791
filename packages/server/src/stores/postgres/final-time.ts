import { setTimeout } from 'node:timers/promises';
import { DomainError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import type { Queries } from './database';
import { milliseconds, sessionName } from './pool';

/*
 * A client that continues a list from the latest time that it got misses an order that is committed later with an earlier time. So
 * that none is:
 *
 * - A change takes its time by the clock of the database (`takeTime`), after its transaction got an ID. From then until its end, other sessions
 *   see the transaction, with the time when it started, which is earlier.
 * - A list ends before the earliest start of a transaction that is seen, and before the time when the list looked. A transaction that
 *   was not seen takes its time later than that.
 */

/**
 * Which transactions of this program are in progress. Those of other programs change no orders. Those that only read have no ID. A
 * session of another role is hidden from one that may not read all statistics, and one that does not track activities has no times.
 * The last column fails where changes do not take their time from the database: see `prepare` in `pool.ts`.
 */
const selectTransactions = `SELECT ${milliseconds('statement_timestamp()')} AS now,
    ${milliseconds('least(statement_timestamp(), min(xact_start) FILTER (WHERE backend_xid IS NOT NULL))')} AS time,
    coalesce(bool_or(state = 'disabled' OR query = '<insufficient privilege>'), FALSE)
      OR current_setting('application_name') NOT LIKE '${sessionName}%' AS "isHidden",
    pg_walfile_name(pg_current_wal_lsn()) AS timeline
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE '${sessionName}%'`;

/** For how long a list waits for changes in progress at most, in milliseconds. After that, it ends before the oldest of them. */
const maxWaitMs = 500;
/** How long it waits before it looks again, in milliseconds. */
const pauseMs = 1;
const longestPauseMs = 20;

interface Transactions {
  now: number;
  time: number;
  isHidden: boolean;
}

/** Reads the transactions in progress; the reason why it cannot if the database does not show them. */
async function readTransactions(db: Queries): Promise<Transactions | string> {
  try {
    const found = await db.row<Transactions>(selectTransactions);
    if (found !== undefined && !found.isHidden) return found;
    return 'its database hides transactions of other processes (see "Polling" in the guide for PostgreSQL)';
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return 'its database does not show which transactions are in progress';
  }
}

/**
 * Returns a time, in milliseconds since 1970: no change that is not committed yet will have an earlier one. It is later than each
 * change that was committed before the call, except if another one is in progress for a long time.
 *
 * @param parameter The parameter of the list that needs it. Without one, the time is infinite if the database does not show its
 *   transactions.
 * @throws DomainError `validation_failed` if there is a parameter, and the database does not show its transactions.
 */
export async function findFinalTime(db: Queries, parameter: string | null): Promise<number> {
  const deadline = performance.now() + maxWaitMs;
  let first: Transactions | null = null;
  for (let pause = pauseMs; ; ) {
    const found = await readTransactions(db);
    if (typeof found === 'string') return reject(parameter, found);
    first ??= found;
    if (found.time > first.now || performance.now() >= deadline) return found.time;
    // At least until the next millisecond: a change of this one may have happened already.
    await setTimeout(pause);
    pause = Math.min(2 * pause, longestPauseMs);
  }
}

function reject(parameter: string | null, reason: string): number {
  if (parameter === null) return Number.MAX_SAFE_INTEGER;
  throw new DomainError(
    'validation_failed',
    `${parameter} could leave out an order here: ${reason}. Use GET /v1/events to follow changes, or list the orders without it.`,
    [{ path: parameter, message: `is not available here: ${reason}` }],
  );
}
