import {
  type AccountEvent,
  type contract,
  pageLimit,
  type WebhookEvent,
} from '@tradepost/contract';
import type { Clock } from '../../kernel/context';
import type { RouteHandlers } from '../route-handlers';
import type { LongPollRegistry } from './event';
import {
  decodeEventCursor,
  type EventStore,
  encodeEventCursor,
  type LoggedEvent,
  type LogPage,
  readLogPage,
} from './event';

/** The poll interval of a long poll in milliseconds. Other processes write events too and cannot notify this one. */
const maxPollMs = 1_000;

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
    const cancelTimeout = clock.schedule(seconds * 1_000, () => timeout.abort());
    const done = AbortSignal.any([signal, timeout.signal]);
    try {
      let page = await read();
      for (let mayWait = true; page.events.length === 0 && mayWait; ) {
        mayWait = await longPolls.wait(accountId, maxPollMs, done);
        page = await read();
      }
      return page;
    } finally {
      cancelTimeout();
    }
  }

  return {
    async list({ caller, query, signal, requireValidKey }) {
      const { limit = pageLimit.default, waitSeconds: seconds = 0 } = query;
      const logQuery = {
        after: query.after === undefined ? undefined : decodeEventCursor(query.after),
        since: query.since === undefined ? undefined : Date.parse(query.since),
        orderId: query.orderId,
        limit,
      };
      const { accountId } = caller;
      const read = async () => {
        const page = await readLogPage(events, accountId, logQuery, signal);
        // After each read, not only at the end, so that a revoked key ends a long poll.
        if (seconds > 0 || query.since !== undefined) await requireValidKey();
        logQuery.after = page.end;
        return page;
      };
      const page = await (seconds === 0
        ? read()
        : waitForPage(read, accountId, { seconds, signal }));
      const nextCursor = encodeEventCursor(page.end);
      return { status: 200, body: { data: page.events.map(toEventResponse), nextCursor } };
    },
  };
}
