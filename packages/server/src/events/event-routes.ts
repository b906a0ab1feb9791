import {
  type AccountEvent,
  type contract,
  pageLimit,
  type WebhookEvent,
} from '@tradepost/contract';
import type { Clock } from '../clock';
import type { FeatureRoutes } from '../feature-routes';
import { readEventCursor, writeEventCursor } from './event-cursor';
import { firstPlace } from './event-place';
import type { EventStore, LoggedEvent } from './event-store';
import type { EventWaiters } from './event-waiters';

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
  /** Looks again and again until there is something, the time is over, or nobody waits for it any more. */
  async function lookUntil<Found>(
    look: () => Promise<Found[]>,
    accountId: string,
    { seconds, gone }: { seconds: number; gone: AbortSignal },
  ): Promise<Found[]> {
    const timeUp = new AbortController();
    // Not by the time of day: that may be set back while one waits.
    const callOff = clock.after(seconds * 1_000, () => timeUp.abort());
    const over = AbortSignal.any([gone, timeUp.signal]);
    try {
      let found = await look();
      for (let goOn = true; found.length === 0 && goOn; ) {
        goOn = await waiters.wait(accountId, longestNap, over);
        found = await look();
      }
      return found;
    } finally {
      callOff();
    }
  }

  return {
    async list({ caller, query, gone }) {
      const { limit = pageLimit.default, waitSeconds: seconds = 0 } = query;
      const since = query.since === undefined ? undefined : Date.parse(query.since);
      const start = since === undefined ? 0 : Math.max(0, firstPlace(since) - 1);
      const after = query.after === undefined ? start : readEventCursor(query.after);
      const look = () => events.readEvents(caller.accountId, after, limit, since);
      const found = await (seconds === 0
        ? look()
        : lookUntil(look, caller.accountId, { seconds, gone }));
      const nextCursor = writeEventCursor(found.at(-1)?.seq ?? after);
      return { status: 200, body: { data: found.map(presentEvent), nextCursor } };
    },
  };
}
