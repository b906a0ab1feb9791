import {
  type AccountEvent,
  type contract,
  endOfLog,
  type ListEvents,
  pageLimit,
  type WebhookEvent,
} from '@tradepost/contract';
import type { Clock } from '../kernel/context';
import type { RouteHandlers } from '../route-handlers';
import type { LongPollRegistry } from './announcements';
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
} from './event-log';

/** The poll interval of a long poll in milliseconds. Other processes write events too and cannot notify this one. */
const maxPollMs = 1_000;

/** Where a page starts. */
interface LogStart extends Pick<LogQuery, 'after' | 'since'> {
  /** The position in the cursor of the request. */
  position?: LogPosition;
  prunedTo?: number;
}

function toEventResponse({ id, body }: LoggedEvent): AccountEvent {
  return { id, ...(JSON.parse(body) as WebhookEvent) };
}

/** Creates the handlers of the event endpoint. */
export function eventRoutes(
  events: EventStore,
  longPolls: LongPollRegistry,
  clock: Clock,
): RouteHandlers<typeof contract.events> {
  /** Reads until there are events, the time is over, or the client disconnects. */
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
      for (let mayWait = true; page.events.length === 0 && mayWait; ) {
        mayWait = await longPolls.wait(accountId, maxPollMs, timeout.signal);
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
      const { limit = pageLimit.default, waitSeconds: seconds = 0, orderId } = query;
      const { accountId } = caller;
      const isOfOrder = orderId !== undefined;
      const { after, since, position, prunedTo } = await findStart(query, accountId);
      const logQuery = { after, since, orderId, limit };
      let known = prunedTo;
      const read = async () => {
        const page = await readLogPage(events, accountId, logQuery, signal);
        if (known === undefined) {
          known = await events.findPrunedTo(accountId);
          if (position !== undefined) requireUnpruned(position, known, isOfOrder);
        }
        // After each read, not only at the end, so that a revoked key ends a long poll.
        if (seconds > 0 || query.since !== undefined) await requireValidKey();
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
      return { status: 200, body: { data: page.events.map(toEventResponse), nextCursor } };
    },
  };
}
