import type { Position } from '../position';

/** What restricts a page of a list that runs from newest to oldest. Times are milliseconds since 1970. */
export interface PageBounds {
  /** Where the previous page ended, exclusive; null for the first page. */
  after: Position | null;
  /** Only items created before this time, exclusive. */
  createdBefore?: number | undefined;
  /** Only items created after this time, exclusive. */
  createdAfter?: number | undefined;
  /** Only items created at this time or later. */
  since?: number | undefined;
  /** The oldest item that is wanted, inclusive. */
  downTo?: Position | null;
}

/** One range of a list that sorts by (createdAt, id). */
export interface PageRange {
  /** Exclusive upper bound; null for none. */
  before: Position | null;
  /** Inclusive lower bound; null for none. */
  from: Position | null;
}

/** Sorts before every item created at this time, and behind every older one: no id is empty. */
function firstPositionAt(createdAt: number | undefined): Position | null {
  return createdAt === undefined ? null : { createdAt, id: '' };
}

function isOlder(one: Position, other: Position): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  return one.id < other.id;
}

function pickOlder(one: Position | null, other: Position | null): Position | null {
  if (one === null || other === null) return one ?? other;
  return isOlder(one, other) ? one : other;
}

function pickNewer(one: Position | null, other: Position | null): Position | null {
  if (one === null || other === null) return one ?? other;
  return isOlder(one, other) ? other : one;
}

/**
 * Merges all bounds of a page into one range. A database given two upper bounds makes one of them the end
 * of its index range and compares every row with the other, so a deep page would walk past all that the
 * previous pages held.
 */
export function mergeBounds(bounds: PageBounds): PageRange {
  const { after, createdBefore, createdAfter, since, downTo = null } = bounds;
  // Times are whole milliseconds, so the first one after `createdAfter` is the next.
  const firstAfter = createdAfter === undefined ? undefined : createdAfter + 1;
  return {
    before: pickOlder(after, firstPositionAt(createdBefore)),
    from: pickNewer(pickNewer(firstPositionAt(firstAfter), firstPositionAt(since)), downTo),
  };
}
