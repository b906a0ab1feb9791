import { setTimeout } from 'node:timers/promises';
import { DomainError } from '../../kernel/errors';
import type { Queries } from './database';
import { milliseconds, sessionName } from './pool';
import { getCode } from './postgres-errors';

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
 */
const selectTransactions = `SELECT ${milliseconds('statement_timestamp()')} AS now,
    ${milliseconds('least(statement_timestamp(), min(xact_start) FILTER (WHERE backend_xid IS NOT NULL))')} AS time,
    coalesce(bool_or(state = 'disabled' OR query = '<insufficient privilege>'), FALSE)
      OR current_setting('application_name') NOT LIKE '${sessionName}%' AS "isHidden"
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE '${sessionName}%'`;

/** For how long a list waits for changes in progress at most, in milliseconds. After that, it ends before the oldest of them. */
const maxWaitMs = 500;
/** How long it waits before it looks again, in milliseconds. */
const pauseMs = 1;
const longestPauseMs = 20;

/** SQLSTATEs of a table, a column or a function that another database lacks. */
const isMissing = /^(42P01|42703|42883|0A000)$/;

interface Transactions {
  now: number;
  time: number;
  isHidden: boolean;
}

function notFinal(reason: string): DomainError {
  const message = `is not available: ${reason}. Use the event log (GET /v1/events) to follow changes`;
  return new DomainError(
    'validation_failed',
    `This service cannot list what was changed after a time without the danger of leaving out an order: ${reason}. Use GET /v1/events to follow changes.`,
    [{ path: 'updatedAfter', message }],
  );
}

async function readTransactions(db: Queries): Promise<Transactions> {
  const found = await db.row<Transactions>(selectTransactions).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!isMissing.test(getCode(cause))) throw error;
    throw notFinal('its database does not show which transactions are in progress');
  });
  if (found === undefined || found.isHidden) {
    throw notFinal(
      'its database hides the transactions of other processes, see "Polling by updatedAfter" in the guide for PostgreSQL',
    );
  }
  return found;
}

/**
 * Returns a time, in milliseconds since 1970: no change that is not committed yet will have an earlier one. It is later than each
 * change that was committed before the call, except if another one is in progress for a long time.
 *
 * @throws DomainError `validation_failed` if the database does not show its transactions.
 */
export async function findFinalTime(db: Queries): Promise<number> {
  const deadline = performance.now() + maxWaitMs;
  const { now } = await readTransactions(db);
  for (let pause = pauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    // At least until the next millisecond: a change of this one may have happened already.
    await setTimeout(pause);
    const { time } = await readTransactions(db);
    if (time > now || performance.now() >= deadline) return time;
  }
}
