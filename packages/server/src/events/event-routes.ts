import {
  type AccountEvent,
  type contract,
  pageLimit,
  type WebhookEvent,
} from '@tradepost/contract';
import type { Clock } from '../clock';
import type { FeatureRoutes } from '../feature-routes';
import { readEventCursor, writeEventCursor } from './event-cursor';
import type { EventStore, LoggedEvent } from './event-store';
import type { EventWaiters } from './event-waiters';
import { type LogPage, readLogPage } from './read-log';

/** Other processes write events too and cannot end a wait in this one, so it looks again this often. */
const longestNap = 1_000;

function presentEvent({ id, body }: LoggedEvent): AccountEvent {
  return { id, ...(JSON.parse(body) as WebhookEvent) };
}

/** The event endpoint. */
export function eventRoutes(
  events: EventStore,
  waiters: EventWaiters,
  clock: Clock,
): FeatureRoutes<typeof contract.events> {
  /** Reads again and again until there is something, the time is over, or nobody waits for it any more. */
  async function waitForPage(
    read: () => Promise<LogPage>,
    accountId: string,
    { seconds, gone }: { seconds: number; gone: AbortSignal },
  ): Promise<LogPage> {
    const timeUp = new AbortController();
    // Not by the time of day: that may be set back while one waits.
    const callOff = clock.after(seconds * 1_000, () => timeUp.abort());
    const over = AbortSignal.any([gone, timeUp.signal]);
    try {
      let page = await read();
      for (let goOn = true; page.events.length === 0 && goOn; ) {
        goOn = await waiters.wait(accountId, longestNap, over);
        page = await read();
      }
      return page;
    } finally {
      callOff();
    }
  }

  return {
    async list({ caller, query, gone, requireValidKey }) {
      const { limit = pageLimit.default, waitSeconds: seconds = 0 } = query;
      const wanted = {
        after: query.after === undefined ? undefined : readEventCursor(query.after),
        since: query.since === undefined ? undefined : Date.parse(query.since),
        limit,
      };
      const { accountId } = caller;
      const read = async () => {
        const page = await readLogPage(events, accountId, wanted, gone);
        // At each wake-up, not only at the end: a key that is revoked does not keep a wait.
        if (seconds > 0 || query.since !== undefined) await requireValidKey();
        wanted.after = page.end;
        return page;
      };
      const page = await (seconds === 0 ? read() : waitForPage(read, accountId, { seconds, gone }));
      const nextCursor = writeEventCursor(page.end);
      return { status: 200, body: { data: page.events.map(presentEvent), nextCursor } };
    },
  };
}
