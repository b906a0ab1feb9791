import { firstSequenceAt, type StoredEvent } from './event';

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
  /** The account whose request caused it; null if that is not known. */
  actorId: StoredEvent['actorId'];
  actorKind: StoredEvent['actorKind'];
}

/** The end of an account's event log, and what was removed from it. */
export interface LogLimits {
  /** The sequence number of the last event that was committed: later ones get higher numbers. At least `prunedTo`. */
  last: number;
  /** The highest sequence number of the events that were removed by retention; 0 if none was. Older ones may still be stored. */
  prunedTo: number;
}

/** A part of a log. */
export interface LogStretch {
  /** Only entries after this sequence number. */
  after: number;
  /** Only entries up to this sequence number. */
  upTo: number;
  newestFirst: boolean;
  /** How many entries are read at most, wanted or not. */
  size: number;
}

/** Which events of a log are wanted. */
export interface LogFilter {
  /** Only events created at this time or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** Only events created before this time, in milliseconds since 1970. */
  until?: number | undefined;
  eventType?: LoggedEvent['eventType'] | undefined;
}

/** What was found in a part of a log. */
export interface FoundEvents {
  /** In the direction of the search. */
  events: LoggedEvent[];
  /** The sequence number of the last entry that was read, wanted or not. */
  end: number;
  /** Whether nothing follows in the range of the search. */
  isOver: boolean;
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
  /** Reads a part of a log, and returns the first events in it that are wanted, up to `limit`. One step of a search. */
  searchEvents(
    accountId: string,
    stretch: LogStretch,
    filter: LogFilter,
    limit: number,
  ): Promise<FoundEvents>;
  /**
   * Runs a search to its end, in turns with the searches of other accounts.
   *
   * @param step Runs the next step, like the `next` method of an iterator. The last step returns the result.
   * @param signal Cancels the search: the promise rejects with its reason.
   * @throws DomainError `rate_limited` if too many searches of the account are waiting.
   */
  runSearch<Result>(
    accountId: string,
    step: () => Promise<IteratorResult<unknown, Result>>,
    signal: AbortSignal,
  ): Promise<Result>;
  /** Finds an event in an account's log. */
  findEvent(accountId: string, id: string): Promise<Omit<LoggedEvent, 'seq'> | null>;
  /** Returns the limits of an account's log. */
  findLimits(accountId: string): Promise<LogLimits>;
  /** Returns the `prunedTo` of these limits, which costs less. Read it after the events that it is compared with. */
  findPrunedTo(accountId: string): Promise<number>;
}

/** The limits of a search in a log. */
export interface LogSearchLimits {
  /** How many entries a step reads: a few milliseconds of work. */
  stepSize: number;
  /** How many entries are read for a page. */
  maxScan: number;
}

const defaultLimits: LogSearchLimits = { stepSize: 2_000, maxScan: 20_000 };

/** How long after its time an event may be committed and still be found by `until`, in milliseconds. */
const maxCommitDelayMs = 60_000;

/** What a reader requests from an account's event log. */
export interface LogQuery extends LogFilter {
  /** Only events after this sequence number. */
  after?: number | undefined;
  /** Only events of this order. */
  orderId?: string | undefined;
  /** The maximum number of events on a page. */
  limit: number;
}

/** One page of an account's log. */
export interface LogPage {
  /** Oldest first. */
  events: LoggedEvent[];
  /** The next page starts after this sequence number: that of the last entry that was read, or of the last event of the page. */
  end: number;
  /** Whether more events may follow now. If not, the log was read to its end, or to `until`. */
  hasMore: boolean;
}

/** A page of the last events. */
export interface LogTail extends Pick<LogPage, 'events' | 'end'> {
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

function isWanted({ since, until, eventType }: LogFilter, event: LoggedEvent): boolean {
  if (eventType !== undefined && event.eventType !== eventType) return false;
  if (since !== undefined && event.createdAt < since) return false;
  return until === undefined || event.createdAt < until;
}

/** Reads a part of a log, as `searchEvents` does. Where all entries are wanted, or only those of one order, it reads no others. */
async function readStretch(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  stretch: LogStretch,
  limit: number,
): Promise<FoundEvents> {
  const { since, until, eventType, orderId } = query;
  const isFiltered = since !== undefined || until !== undefined || eventType !== undefined;
  if (isFiltered && orderId === undefined) {
    return await store.searchEvents(accountId, stretch, { since, until, eventType }, limit);
  }
  const { after, upTo, newestFirst, size } = stretch;
  const entries = newestFirst
    ? await store.readEarlierEvents(accountId, upTo, size, orderId)
    : await store.readEvents(accountId, after, size, orderId);
  const read = entries.filter(({ seq }) => seq > after && seq <= upTo);
  return {
    events: read.filter((event) => isWanted(query, event)).slice(0, limit),
    end: read.at(-1)?.seq ?? (newestFirst ? upTo : after),
    isOver: read.length < size,
  };
}

/** Searches a log for events that are wanted. It yields after each step, so that other work gets a turn. */
async function* findEvents(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  range: Omit<LogStretch, 'size'>,
  { stepSize, maxScan }: LogSearchLimits,
): AsyncGenerator<undefined, FoundEvents> {
  const { limit } = query;
  const events: LoggedEvent[] = [];
  let rest = range;
  for (let scanned = 0, size = limit; ; size = Math.max(limit, stepSize)) {
    const left = limit - events.length;
    const found = await readStretch(store, accountId, query, { ...rest, size }, left);
    events.push(...found.events);
    const last = events.at(-1);
    // More of them may be in what was read.
    if (last !== undefined && events.length === limit) {
      return { events, end: last.seq, isOver: false };
    }
    const { end, isOver } = found;
    scanned += size;
    if (isOver || scanned >= maxScan) return { events, end, isOver };
    rest = { ...rest, ...(rest.newestFirst ? { upTo: end - 1 } : { after: end }) };
    yield;
  }
}

/** Runs a search. Its first step, which is the only one of most, waits for no other search. */
async function search(
  store: EventStore,
  accountId: string,
  steps: AsyncGenerator<undefined, FoundEvents>,
  signal: AbortSignal,
): Promise<FoundEvents> {
  const first = await steps.next();
  return first.done ? first.value : await store.runSearch(accountId, () => steps.next(), signal);
}

/**
 * Reads one page of an account's event log. It may have fewer events than there are, and none although more follow: `hasMore`
 * says whether they may.
 *
 * Events that were committed late come after newer ones, so older events may follow the first sequence number of `since`;
 * many of them after the clock was set back. They, and those of other types, are read in steps up to a limit.
 *
 * @param signal Stops the search for events that are wanted: it rejects with its reason.
 */
export async function readLogPage(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<LogPage> {
  const range = { after: findStart(query), upTo: findEnd(query), newestFirst: false };
  const steps = findEvents(store, accountId, query, range, limits);
  const { events, end, isOver } = await search(store, accountId, steps, signal);
  // At the end, a client that leaves out the order or the time later gets what these have excluded.
  const stays = isOver && (query.orderId !== undefined || query.until !== undefined);
  return { events, end: stays ? (events.at(-1)?.seq ?? range.after) : end, hasMore: !isOver };
}

/**
 * Reads a page of the last events of an account's log. It may have fewer events than there are, so that what is not wanted costs
 * little.
 *
 * @param query `before`: only events up to this sequence number.
 * @param signal Stops the search for events that are wanted: it rejects with its reason.
 */
export async function readLogTail(
  store: EventStore,
  accountId: string,
  { before = Number.MAX_SAFE_INTEGER, ...query }: LogQuery & { before?: number | undefined },
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<LogTail> {
  const { limit } = query;
  const after = findStart(query);
  const range = { after, upTo: Math.min(before, findEnd(query)), newestFirst: true };
  // One more shows whether there is a page before.
  const steps = findEvents(store, accountId, { ...query, limit: limit + 1 }, range, limits);
  const { events: found, end, isOver } = await search(store, accountId, steps, signal);
  const events = found.slice(0, limit);
  const oldest = found.length > limit ? events.at(-1)?.seq : end;
  const start = isOver || oldest === undefined ? null : oldest - 1;
  return { events: events.toReversed(), start, end: events[0]?.seq ?? start ?? after };
}
