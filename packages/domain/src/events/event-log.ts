import { firstSequenceAt } from './event';

/** Absent in browsers. */
const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => void };

/** Lets other work of the process run. */
const nextTurn = () => new Promise<void>((resolve) => (setImmediate ?? setTimeout)(resolve));

/** An event in an account's log. */
export interface LoggedEvent {
  /** The sequence number in the log. It increases with each commit and is at least `firstSequenceAt(createdAt)`. */
  seq: number;
  /** `evt_<id>`. */
  id: string;
  /** The envelope as JSON. */
  body: string;
  /** Milliseconds since 1970, by a clock that may have been behind others. */
  createdAt: number;
}

/** The end of an account's event log, and what was removed from it. */
export interface LogLimits {
  /** The sequence number of the last event that was committed: later ones get higher numbers. At least `prunedTo`. */
  last: number;
  /** The highest sequence number of the events that were removed by retention; 0 if none was. Older ones may still be stored. */
  prunedTo: number;
}

/** Stores the event log. Changes write to it in their own transaction. */
export interface EventStore {
  /**
   * Lists the events that an account may see after a sequence number, oldest first, up to `limit`. Later commits always get
   * higher numbers, so a reader that continues from its last event misses none. One range of one index: the cost depends only
   * on the page.
   *
   * @param orderId Only the events of this order. They are few, and found by an index: the cost does not depend on the log.
   */
  readEvents(
    accountId: string,
    after: number,
    limit: number,
    orderId?: string,
  ): Promise<LoggedEvent[]>;
  /** Returns the limits of an account's log. */
  findLimits(accountId: string): Promise<LogLimits>;
  /** Returns the `prunedTo` of these limits, which costs less. Read it after the events that it is compared with. */
  findPrunedTo(accountId: string): Promise<number>;
}

/** How many events are read at a time while all of them are too old, regardless of the page size. */
const scanBatchSize = 500;

/** What a reader requests from an account's event log. */
export interface LogQuery {
  /** Only events after this sequence number. */
  after?: number | undefined;
  /** Only events created at this time or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** Only events of this order. */
  orderId?: string | undefined;
  /** The maximum number of events on a page. */
  limit: number;
}

/** One page of an account's log. */
export interface LogPage {
  /** Oldest first. */
  events: LoggedEvent[];
  /** The sequence number of the last event that was read, even if `since` excluded it. The next page starts after it. */
  end: number;
}

/** Returns the sequence number after which a page starts. No event of `since` or later comes before it. */
function findStart({ after = 0, since }: LogQuery): number {
  return since === undefined ? after : Math.max(after, firstSequenceAt(since) - 1);
}

/**
 * Reads one page of an account's event log. The page is empty only if nothing follows.
 *
 * Events that were committed late come after newer ones, so older events may follow the first sequence number of `since`;
 * many of them after the clock was set back. They are filtered here and not by the store, so that each read of the store is
 * one page of one range and other work gets a turn in between.
 *
 * @param signal Stops the search for events that are not too old.
 */
export async function readLogPage(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<LogPage> {
  const { since = Number.NEGATIVE_INFINITY, limit, orderId } = query;
  let size = limit;
  for (let end = findStart(query); ; await nextTurn()) {
    const lines = await store.readEvents(accountId, end, size, orderId);
    const events = lines.filter(({ createdAt }) => createdAt >= since).slice(0, limit);
    end = (events.length === limit ? events : lines).at(-1)?.seq ?? end;
    if (events.length > 0 || lines.length < size || signal.aborted) return { events, end };
    size = Math.max(limit, scanBatchSize);
  }
}
