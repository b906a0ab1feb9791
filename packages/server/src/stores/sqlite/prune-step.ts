import type { Pruned, PruneStep, ScanPruned } from '../../retention/retention-store';
import type { SqliteDatabase } from './database';

/** For how long a step writes at most, in milliseconds, when the lock was free. */
const shortWriteMs = 3;
/** For how long after others kept the lock: they lost no time to the step meanwhile, and such chances are rare. */
const longWriteMs = 15;
/** How long a step has waited for the lock when others keep it, in milliseconds. */
const contendedAfterMs = 8;
/** How many rows one portion removes, about: a millisecond's work. */
const rowsAtOnce = 100;

/** What a step did and for how long. */
interface Turn<Result> {
  result: Result;
  /** Milliseconds of writing, commit included. */
  busyMs: number;
  /** Milliseconds for which others kept the step waiting; 0 when nobody did. */
  waitedMs: number;
}

/**
 * Writes once, for a few milliseconds. What comes after a wait is long: beside a thread that writes all the time, a
 * step that made way for it at once would get hardly anywhere.
 *
 * @param work Removes portions until there are none or `isOver` returns true, which it never does before the first.
 */
async function takeTurn<Result>(
  db: SqliteDatabase,
  work: (isOver: () => boolean) => Result,
): Promise<Turn<Result>> {
  const requestedAt = performance.now();
  let startedAt = requestedAt;
  let hasWaited = false;
  const result = await db.writeFleeting(() => {
    startedAt = performance.now();
    hasWaited = db.hasWaitedForOthers;
    const isContended = hasWaited && startedAt - requestedAt >= contendedAfterMs;
    const endsAt = startedAt + (isContended ? longWriteMs : shortWriteMs);
    let isFirst = true;
    return work(() => {
      const mustEnd = performance.now() >= endsAt || (db.mustYield && !isContended);
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

/** What a scan examines: one thing, and whether it seems that it can be removed. */
export interface Examined {
  id: string;
  removable: number;
  /** How many rows are removed with it, itself included: an estimate. */
  weight: number;
}

/** How one kind of thing is scanned. */
export interface Scan {
  /** The things after an id, by id, `limit` at most. */
  examine: (after: string, limit: number) => Examined[];
  /** Removes what can be removed from the first id to the second, both included. Returns how many things. */
  remove: (first: string, last: string) => number;
}

/** Part of what was examined, removed in one go: from the first id to the last. */
interface Portion {
  first: string;
  last: string;
  weight: number;
}

/** Splits what was examined, without those at either end of a portion that are to stay. */
function splitIntoPortions(examined: readonly Examined[]): Portion[] {
  const portions: Portion[] = [];
  let open: Portion | undefined;
  for (const { id, removable, weight } of examined) {
    if (removable === 0) continue;
    if (open === undefined || open.weight + weight > rowsAtOnce) {
      open = { first: id, last: id, weight: 0 };
      portions.push(open);
    }
    open.last = id;
    open.weight += weight;
  }
  return portions;
}

/**
 * Does one step of a scan. It examines outside of a transaction, so that rows which are to stay cost nobody else's
 * time.
 */
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
  const turn = await takeTurn(db, (isOver) => {
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
 * Removes rows in portions until a limit is reached, the turn is over, or a portion finds less than it may remove.
 *
 * @param remove Removes things that `rows` rows belong to at most. Returns how many things, and whether more are left.
 */
export async function pruneInPortions(
  db: SqliteDatabase,
  limit: number,
  remove: (rows: number) => { removed: number; hasMore: boolean },
): Promise<Pruned> {
  const { result, busyMs, waitedMs } = await takeTurn(db, (isOver) => {
    let removed = 0;
    for (let left = limit; left > 0 && !isOver(); left -= rowsAtOnce) {
      const portion = remove(Math.min(left, rowsAtOnce));
      removed += portion.removed;
      if (!portion.hasMore) break;
    }
    return removed;
  });
  return { removed: result, busyMs, waitedMs };
}
