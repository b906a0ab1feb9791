import type { PageKey } from '@tradepost/domain/kernel/pagination';

/** The bounds of a page in a list from newest to oldest. Times are in milliseconds since 1970. */
export interface PageBounds {
  /** The end of the previous page, exclusive; null for the first page. */
  after: PageKey | null;
  /** Only items created before this time, exclusive. */
  createdBefore?: number | undefined;
  /** Only items created after this time, exclusive. */
  createdAfter?: number | undefined;
  /** Only items created at this time or later. */
  since?: number | undefined;
  /** The oldest item, inclusive. */
  downTo?: PageKey | null;
}

/** One range of a list that is sorted by (createdAt, id). */
export interface PageRange {
  /** Exclusive upper bound; null for none. */
  before: PageKey | null;
  /** Inclusive lower bound; null for none. */
  from: PageKey | null;
}

/** A range of a list that is sorted by (time, id), in the direction in which it is read. */
export interface PageScan {
  /** Whether it is read from newest to oldest. */
  newestFirst: boolean;
  /** Exclusive; null for the start of the list. */
  start: PageKey | null;
  /** Inclusive; null for the end of the list. */
  end: PageKey | null;
}

/** Returns a key that sorts before every item created at this time and after every older one, because no ID is empty. */
function firstKeyAt(createdAt: number | undefined): PageKey | null {
  return createdAt === undefined ? null : { createdAt, id: '' };
}

function isOlder(one: PageKey, other: PageKey): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  return one.id < other.id;
}

function pickOlder(one: PageKey | null, other: PageKey | null): PageKey | null {
  if (one === null || other === null) return one ?? other;
  return isOlder(one, other) ? one : other;
}

function pickNewer(one: PageKey | null, other: PageKey | null): PageKey | null {
  if (one === null || other === null) return one ?? other;
  return isOlder(one, other) ? other : one;
}

/**
 * Merges all bounds of a page into one range. With two upper bounds, a database uses one as the end of its index range and
 * compares every row with the other, so a deep page would scan all previous pages.
 */
export function mergeBounds(bounds: PageBounds): PageRange {
  const { after, createdBefore, createdAfter, since, downTo = null } = bounds;
  // Times are whole milliseconds, so the first one after `createdAfter` is the next.
  const firstAfter = createdAfter === undefined ? undefined : createdAfter + 1;
  return {
    before: pickOlder(after, firstKeyAt(createdBefore)),
    from: pickNewer(pickNewer(firstKeyAt(firstAfter), firstKeyAt(since)), downTo),
  };
}

/** Merges the bounds of a page into one range in either direction, as `mergeBounds` does for lists from newest to oldest. */
export function buildScan(bounds: PageBounds, newestFirst: boolean): PageScan {
  if (newestFirst) {
    const { before, from } = mergeBounds(bounds);
    return { newestFirst, start: before, end: from };
  }
  const { after, ...times } = bounds;
  const { before, from } = mergeBounds({ ...times, after: null });
  // No order has the key of a time, so it does not matter whether that is included.
  return { newestFirst, start: pickNewer(after, from), end: before };
}

const beforeAll: PageKey = { createdAt: -1, id: '' };
const afterAll: PageKey = { createdAt: 8.64e15 + 1, id: '' };

/** Adds the bounds that a range lacks, where they exclude nothing, so that all ranges have one statement. */
export function addBounds(scan: PageScan): PageScan {
  const [start, end] = scan.newestFirst ? [afterAll, beforeAll] : [beforeAll, afterAll];
  return { ...scan, start: scan.start ?? start, end: scan.end ?? end };
}
