import type { Pruned, PruneStep, ScanPruned } from '@tradepost/domain/retention/retention-store';
import type { SqliteDatabase } from './database';

/** How long a step writes at most if it got the lock at once, in milliseconds. */
const shortWriteMs = 3;
/** How long it writes after a contended wait, in milliseconds: such turns are rare. */
const longWriteMs = 15;
/** How long a step waits for the lock before the wait counts as contended, in milliseconds. */
const contendedAfterMs = 8;
/** About how many rows one portion removes: a millisecond of work. */
const rowsPerStatement = 100;

/** The result of a write and its timing. */
interface TimedWrite<Result> {
  result: Result;
  /** How long it wrote in milliseconds, including the commit. */
  busyMs: number;
  /** How long it waited for others in milliseconds; 0 if it did not wait. */
  waitedMs: number;
}

/**
 * Writes for a few milliseconds. A write after a contended wait takes longer: next to a thread that writes continuously, a step
 * that yielded at once would make hardly any progress.
 *
 * @param work Removes portions until none is left or `isOver` returns true, which it never does before the first portion.
 */
async function runTimedWrite<Result>(
  db: SqliteDatabase,
  work: (isOver: () => boolean) => Result,
): Promise<TimedWrite<Result>> {
  const requestedAt = performance.now();
  let startedAt = requestedAt;
  let hasWaited = false;
  const result = await db.writeRelaxed(() => {
    startedAt = performance.now();
    hasWaited = db.hasWaitedForOthers;
    const isContended = hasWaited && startedAt - requestedAt >= contendedAfterMs;
    const endsAt = startedAt + (isContended ? longWriteMs : shortWriteMs);
    let isFirst = true;
    return work(() => {
      const mustEnd = performance.now() >= endsAt || (db.shouldYield && !isContended);
      const isOver = mustEnd && !isFirst;
      isFirst = false;
      return isOver;
    });
  });
  return {
    result,
    busyMs: performance.now() - startedAt,
    waitedMs: hasWaited ? startedAt - requestedAt : 0,
  };
}

/** A scanned item, and whether it probably can be removed. */
export interface Examined {
  id: string;
  removable: number;
  /** About how many rows are removed with it, including itself. */
  weight: number;
}

/** Scans one type of item. */
export interface Scan {
  /** Lists the items after an ID in the order of their IDs, up to `limit`. */
  examine: (after: string, limit: number) => Examined[];
  /** Removes what can be removed in a range of IDs, both ends included. Returns the number of items. */
  remove: (first: string, last: string) => number;
}

/** A range of IDs that is removed at a time. */
interface Portion {
  first: string;
  last: string;
  weight: number;
}

/** Splits scanned items into portions. Items at either end of a portion that must stay are left out. */
function splitIntoPortions(examined: readonly Examined[]): Portion[] {
  const portions: Portion[] = [];
  let open: Portion | undefined;
  for (const { id, removable, weight } of examined) {
    if (removable === 0) continue;
    if (open === undefined || open.weight + weight > rowsPerStatement) {
      open = { first: id, last: id, weight: 0 };
      portions.push(open);
    }
    open.last = id;
    open.weight += weight;
  }
  return portions;
}

/** Runs one step of a scan. It scans outside a transaction, so that rows that stay do not block other writers. */
export async function pruneScan(
  db: SqliteDatabase,
  { after, limit }: PruneStep,
  { examine, remove }: Scan,
): Promise<ScanPruned> {
  const startedAt = performance.now();
  const examined = await db.read(() => examine(after ?? '', limit));
  const examiningMs = performance.now() - startedAt;
  const portions = splitIntoPortions(examined);
  const whole = { next: examined.at(-1)?.id ?? after, done: examined.length < limit };
  if (portions.length === 0)
    return { removed: 0, ...whole, isCut: false, busyMs: examiningMs, waitedMs: 0 };
  const turn = await runTimedWrite(db, (isOver) => {
    let removed = 0;
    let next = after;
    for (const { first, last } of portions) {
      if (isOver()) return { removed, next, done: false, isCut: true };
      removed += remove(first, last);
      next = last;
    }
    return { removed, ...whole, isCut: false };
  });
  return { ...turn.result, busyMs: examiningMs + turn.busyMs, waitedMs: turn.waitedMs };
}

/**
 * Removes rows in portions until the limit is reached, the time is over, or a portion is not full.
 *
 * @param remove Removes items with at most `rows` rows. Returns the number of items and whether more are left.
 */
export async function pruneInPortions(
  db: SqliteDatabase,
  limit: number,
  remove: (rows: number) => { removed: number; hasMore: boolean },
): Promise<Pruned> {
  const { result, busyMs, waitedMs } = await runTimedWrite(db, (isOver) => {
    let removed = 0;
    for (let left = limit; left > 0 && !isOver(); left -= rowsPerStatement) {
      const portion = remove(Math.min(left, rowsPerStatement));
      removed += portion.removed;
      if (!portion.hasMore) break;
    }
    return removed;
  });
  return { removed: result, busyMs, waitedMs };
}
