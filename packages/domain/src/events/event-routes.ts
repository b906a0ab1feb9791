import {
  type AccountEvent,
  type contract,
  endOfLog,
  type ListEvents,
  pageLimit,
  type WebhookEvent,
} from '@tradepost/contract';
import type { Clock } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import type { RouteHandlers } from '../route-handlers';
import type { LongPollRegistry } from './announcements';
import { toActorResponse } from './event';
import {
  decodeEventCursor,
  encodeEventCursor,
  type LogPosition,
  requireUnpruned,
} from './event-cursor';
import {
  type EventStore,
  type LoggedEvent,
  type LogPage,
  type LogQuery,
  readLogPage,
  readLogTail,
} from './event-log';

/** The poll interval of a long poll in milliseconds. Other processes write events too and cannot notify this one. */
const maxPollMs = 1_000;

/** Where a page starts. */
interface LogStart extends Pick<LogQuery, 'after' | 'since'> {
  /** The position in the cursor of the request. */
  position?: LogPosition;
  prunedTo?: number;
}

function toEventResponse({ id, body, ...event }: Omit<LoggedEvent, 'seq'>): AccountEvent {
  return { id, ...(JSON.parse(body) as WebhookEvent), actor: toActorResponse(event) };
}

function eventNotFound(id: string): DomainError {
  return new DomainError(
    'event_not_found',
    `No event ${JSON.stringify(id)} is in the event log of this account. Check the ID (evt_<id>) and the API key. Test events are in no log, and old events are pruned.`,
  );
}

/** Creates the handlers of the event endpoints. */
export function eventRoutes(
  events: EventStore,
  longPolls: LongPollRegistry,
  clock: Clock,
): RouteHandlers<typeof contract.events> {
  /** Reads until there are events or more may follow, the time is over, or the client disconnects. */
  async function waitForPage(
    read: () => Promise<LogPage>,
    accountId: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<LogPage> {
    const timeout = new AbortController();
    // The clock's timers use elapsed time, so that setting the clock back does not extend the wait.
    const end = () => timeout.abort();
    const cancelTimeout = clock.schedule(seconds * 1_000, end);
    // Not `AbortSignal.any`, which some browsers lack.
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      let page = await read();
      for (let mayWait = true; page.events.length === 0 && !page.hasMore && mayWait; ) {
        mayWait = await longPolls.wait(accountId, maxPollMs, timeout.signal);
        if (signal.aborted) break;
        page = await read();
      }
      return page;
    } finally {
      cancelTimeout();
      signal.removeEventListener('abort', end);
    }
  }

  /** Finds out where a page starts, and what had been removed by then if that was read already. */
  async function findStart(query: ListEvents, accountId: string): Promise<LogStart> {
    const since = query.since === undefined ? undefined : Date.parse(query.since);
    // A client whose clock is ahead would miss what happens until then.
    if (query.after === endOfLog || (since !== undefined && since > clock.now())) {
      const { last, prunedTo } = await events.findLimits(accountId);
      return { after: last, prunedTo };
    }
    if (query.after === undefined) return { since };
    const position = decodeEventCursor(query.after);
    return { after: position.sequence, position };
  }

  return {
    async list({ caller, query, signal, requireValidKey }) {
      const { waitSeconds: seconds = 0, orderId, type: eventType, tail } = query;
      const limit = tail ?? query.limit ?? pageLimit.default;
      const until = query.until === undefined ? undefined : Date.parse(query.until);
      const { accountId } = caller;
      const isOfOrder = orderId !== undefined;
      const { after, since, position, prunedTo } = await findStart(query, accountId);
      const logQuery = { after, since, until, eventType, orderId, limit };
      if (tail !== undefined) {
        const before =
          query.before === undefined ? null : decodeEventCursor(query.before, 'before');
        const tailQuery = { ...logQuery, before: before?.sequence };
        const page = await readLogTail(events, accountId, tailQuery, signal);
        const known = prunedTo ?? (await events.findPrunedTo(accountId));
        await requireValidKey();
        const encode = (sequence: number) =>
          encodeEventCursor({ sequence, prunedTo: known, isOfOrder: false });
        const previousCursor = page.start === null ? null : encode(page.start);
        const data = page.events.map(toEventResponse);
        return { status: 200, body: { data, nextCursor: encode(page.end), previousCursor } };
      }
      let known = prunedTo;
      const read = async () => {
        const page = await readLogPage(events, accountId, logQuery, signal);
        if (known === undefined) {
          known = await events.findPrunedTo(accountId);
          if (position !== undefined) requireUnpruned(position, known, isOfOrder);
        }
        // After each read, not only at the end, so that a revoked key ends a long poll.
        const isSearch = [since, until, eventType].some((filter) => filter !== undefined);
        if (seconds > 0 || isSearch) await requireValidKey();
        logQuery.after = page.end;
        return page;
      };
      const page = await (seconds === 0
        ? read()
        : waitForPage(read, accountId, { seconds, signal }));
      // A client that follows one order need not know how far the log was pruned when it started.
      const isContinued = position !== undefined && !isOfOrder;
      const nextCursor = encodeEventCursor({
        sequence: page.end,
        prunedTo: (isContinued ? position.prunedTo : known) ?? 0,
        isOfOrder: position !== undefined && (isOfOrder || position.isOfOrder),
      });
      const { hasMore } = page;
      return { status: 200, body: { data: page.events.map(toEventResponse), nextCursor, hasMore } };
    },

    async get({ caller, params }) {
      const found = await events.findEvent(caller.accountId, params.id);
      if (found === null) throw eventNotFound(params.id);
      return { status: 200, body: { data: toEventResponse(found) } };
    },
  };
}
