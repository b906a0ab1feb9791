import type { PruneStep, ScanPruned } from '../../retention/retention-store';
import type { SqliteDatabase } from './database';

/** For how long one step writes at most, in milliseconds, save for the portion that it is at. */
const longestWriteMs = 3;
/** How many rows one portion removes, about: a millisecond's work at most. */
const rowsAtOnce = 100;

/** Measures what a step does itself: turns that others take in between are not counted. */
export class StepTimer {
  #busyMs = 0;
  #writeMs = 0;
  #lastWriteEnded: number | null = null;

  /** Whether the step has written for long enough. False before the first portion, so that each step gets somewhere. */
  get isOver(): boolean {
    return this.#writeMs >= longestWriteMs;
  }

  /** Does a read and counts its time. */
  read<Result>(work: () => Result): Result {
    const began = performance.now();
    const result = work();
    this.#busyMs += performance.now() - began;
    return result;
  }

  /** Does a portion of the writing and counts its time. */
  write<Result>(work: () => Result): Result {
    const began = performance.now();
    const result = work();
    this.#lastWriteEnded = performance.now();
    this.#writeMs += this.#lastWriteEnded - began;
    return result;
  }

  /** Call it after the last commit, whose time counts too. Returns the milliseconds of work in all. */
  stop(): number {
    const committing = performance.now() - (this.#lastWriteEnded ?? performance.now());
    this.#busyMs += this.#writeMs + committing;
    return this.#busyMs;
  }
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
 * time. Each portion is a change of its own: another thread that wants to write does so between two of them.
 */
export async function pruneScan(
  db: SqliteDatabase,
  { after, limit }: PruneStep,
  { examine, remove }: Scan,
): Promise<ScanPruned> {
  const timer = new StepTimer();
  const examined = await db.read(() => timer.read(() => examine(after ?? '', limit)));
  const portions = splitIntoPortions(examined);
  const writes = portions.map(({ first, last }) =>
    db.writeFleeting(() => (timer.isOver ? null : timer.write(() => remove(first, last)))),
  );
  const results = await Promise.all(writes);
  const removed = results.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const busyMs = timer.stop();
  const skipped = results.indexOf(null);
  if (skipped >= 0) {
    return { removed, next: portions[skipped - 1]?.last ?? after, done: false, busyMs };
  }
  return { removed, next: examined.at(-1)?.id ?? after, done: examined.length < limit, busyMs };
}

/**
 * Removes rows in portions until a limit is reached, time is over, or a portion finds less than it may remove.
 *
 * @param remove Removes things that `rows` rows belong to at most. Returns how many things, and whether more are left.
 */
export async function pruneInPortions(
  db: SqliteDatabase,
  limit: number,
  timer: StepTimer,
  remove: (rows: number) => { removed: number; hasMore: boolean },
): Promise<number> {
  // A hint, which a portion that is done again may leave behind: the next step finds what it skipped.
  let hasMore = true;
  const writes: Promise<number>[] = [];
  for (let left = limit; left > 0; left -= rowsAtOnce) {
    const rows = Math.min(left, rowsAtOnce);
    writes.push(
      db.writeFleeting(() => {
        if (timer.isOver || !hasMore) return 0;
        const portion = timer.write(() => remove(rows));
        hasMore = portion.hasMore;
        return portion.removed;
      }),
    );
  }
  return (await Promise.all(writes)).reduce((sum, count) => sum + count, 0);
}
