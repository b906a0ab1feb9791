import { firstSequenceAt, type StoredEvent } from './event';

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
  eventType: StoredEvent['eventType'];
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
  /** Lists the events up to a sequence number, newest first. Otherwise like `readEvents`. */
  readEarlierEvents(
    accountId: string,
    upTo: number,
    limit: number,
    orderId?: string,
  ): Promise<LoggedEvent[]>;
  /** Finds an event in an account's log. */
  findEvent(accountId: string, id: string): Promise<Omit<LoggedEvent, 'seq'> | null>;
  /** Returns the limits of an account's log. */
  findLimits(accountId: string): Promise<LogLimits>;
  /** Returns the `prunedTo` of these limits, which costs less. Read it after the events that it is compared with. */
  findPrunedTo(accountId: string): Promise<number>;
}

/** How many events are read at a time while none of them is wanted, regardless of the page size. */
const scanBatchSize = 500;

/** How many events are read to fill a page of one type, or one of the last events. */
const maxScan = 5_000;

/** How long after its time an event may be committed and still be found by `until`, in milliseconds. */
const maxCommitDelayMs = 60_000;

/** What a reader requests from an account's event log. */
export interface LogQuery {
  /** Only events after this sequence number. */
  after?: number | undefined;
  /** Only events created at this time or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** Only events created before this time, in milliseconds since 1970. */
  until?: number | undefined;
  eventType?: LoggedEvent['eventType'] | undefined;
  /** Only events of this order. */
  orderId?: string | undefined;
  /** The maximum number of events on a page. */
  limit: number;
}

/** One page of an account's log. */
export interface LogPage {
  /** Oldest first. */
  events: LoggedEvent[];
  /** The sequence number of the last event that was read, even if it was not wanted. The next page starts after it. */
  end: number;
}

/** A page of the last events. */
export interface LogTail extends LogPage {
  /** The sequence number up to which the page before reads; null if nothing earlier is stored. */
  start: number | null;
}

/** Returns the sequence number after which a page starts. No event of `since` or later comes before it. */
function findStart({ after = 0, since }: LogQuery): number {
  return since === undefined ? after : Math.max(after, firstSequenceAt(since) - 1);
}

/** Returns the sequence number up to which events of before `until` may be. */
function findEnd({ until }: LogQuery): number {
  if (until === undefined) return Number.MAX_SAFE_INTEGER;
  return firstSequenceAt(until + maxCommitDelayMs);
}

function isWanted({ since, until, eventType }: LogQuery, event: LoggedEvent): boolean {
  if (eventType !== undefined && event.eventType !== eventType) return false;
  if (since !== undefined && event.createdAt < since) return false;
  return until === undefined || event.createdAt < until;
}

/**
 * Reads one page of an account's event log. The page is empty only if nothing follows, and may have fewer events than there are.
 *
 * Events that were committed late come after newer ones, so older events may follow the first sequence number of `since`;
 * many of them after the clock was set back. They, and those of other types, are filtered here and not by the store, so that
 * each read of the store is one page of one range and other work gets a turn in between.
 *
 * @param signal Stops the search for events that are wanted.
 */
export async function readLogPage(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<LogPage> {
  const { limit, orderId, until, eventType } = query;
  const start = findStart(query);
  const last = findEnd(query);
  const events: LoggedEvent[] = [];
  let end = start;
  let size = limit;
  for (let scanned = 0; ; await nextTurn()) {
    const lines = await store.readEvents(accountId, end, size, orderId);
    const reached = lines.filter(({ seq }) => seq <= last);
    for (const event of reached) {
      if (events.length === limit) break;
      if (isWanted(query, event)) events.push(event);
      end = event.seq;
    }
    scanned += size;
    const isOver = reached.length < size || signal.aborted;
    const isSearched = eventType === undefined || scanned >= maxScan;
    if (isOver || events.length === limit || (events.length > 0 && isSearched)) break;
    size = Math.max(limit, scanBatchSize);
  }
  // A client that leaves out the order or the time later gets what these have excluded.
  const stays = orderId !== undefined || until !== undefined;
  return { events, end: stays ? (events.at(-1)?.seq ?? start) : end };
}

/**
 * Reads a page of the last events of an account's log. It may have fewer events than there are, so that what is not wanted costs
 * little.
 *
 * @param query `before`: only events up to this sequence number.
 * @param signal Stops the search for events that are wanted.
 */
export async function readLogTail(
  store: EventStore,
  accountId: string,
  query: LogQuery & { before?: number | undefined },
  signal: AbortSignal,
): Promise<LogTail> {
  const { limit, orderId, before = Number.MAX_SAFE_INTEGER } = query;
  const first = findStart(query);
  const events: LoggedEvent[] = [];
  let start = Math.min(before, findEnd(query));
  // One more shows whether there is a page before.
  let size = limit + 1;
  for (let scanned = 0; ; await nextTurn()) {
    const lines = await store.readEarlierEvents(accountId, start, size, orderId);
    const reached = lines.filter(({ seq }) => seq > first);
    for (const event of reached) {
      if (events.length === limit) return toTail(events, start);
      if (isWanted(query, event)) events.push(event);
      start = event.seq - 1;
    }
    scanned += size;
    if (reached.length < size) return toTail(events, null, first);
    if (scanned >= maxScan || signal.aborted) return toTail(events, start);
    size = scanBatchSize;
  }
}

function toTail(newestFirst: LoggedEvent[], start: number | null, first = start ?? 0): LogTail {
  return { events: newestFirst.toReversed(), start, end: newestFirst[0]?.seq ?? first };
}
