import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstPlace } from './event-place';
import type { EventStore, LoggedEvent } from './event-store';

/** How many lines are read at once while all are too old, however few events a page holds. */
const skippedAtOnce = 500;

/** What a reader wants of an account's log of events. */
export interface LogQuery {
  /** Only lines behind this place. */
  after?: number | undefined;
  /** Only events created at this time or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** How many events a page holds at most. */
  limit: number;
}

/** One page of an account's log. */
export interface LogPage {
  /** Oldest first. */
  events: LoggedEvent[];
  /** The place of the last line that was read, whether or not `since` left it out: the next page starts behind it. */
  end: number;
}

/** The place behind which a page starts: no event of `since` or later is before its first place. */
function findStart({ after = 0, since }: LogQuery): number {
  return since === undefined ? after : Math.max(after, firstPlace(since) - 1);
}

/**
 * Reads one page of an account's log. It is empty only where nothing follows.
 *
 * Lines that were committed late stand behind newer ones, so behind the first place of `since` may be
 * events that are older, and after the clock was set back there may be many. They are left out here and not
 * by the store: each read of the store is one page of one range, and others get their turn in between.
 *
 * @param signal Ends the search for a line that is not too old.
 */
export async function readLogPage(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<LogPage> {
  const { since = Number.NEGATIVE_INFINITY, limit } = query;
  let size = limit;
  for (let end = findStart(query); ; await nextTurn()) {
    const lines = await store.readEvents(accountId, end, size);
    const events = lines.filter(({ createdAt }) => createdAt >= since).slice(0, limit);
    end = (events.length === limit ? events : lines).at(-1)?.seq ?? end;
    if (events.length > 0 || lines.length < size || signal.aborted) return { events, end };
    size = Math.max(limit, skippedAtOnce);
  }
}
