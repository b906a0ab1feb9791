import {
  type Query,
  QueryClient,
  type UseQueryResult,
  useQueryClient,
} from '@tanstack/react-query';
import {
  ConnectionError,
  type Delivery,
  isTradepostError,
  ServerError,
  TimeoutError,
} from '@tradepost/sdk';
import { useEffect, useRef } from 'react';

const second = 1_000;

/** What is remembered of the service: the first part of the keys of queries. */
export type Kind =
  | 'orders'
  | 'timeline'
  | 'webhooks'
  | 'deliveries'
  | 'events'
  | 'notifications'
  | 'summary';

/** Whether a call may succeed if it is sent again. The SDK has sent it again once already. */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError ||
    (isTradepostError(error) && error.status === 429)
  );
}

/** How often a query whose last call failed is tried again, while the page is looked at. */
const retryMs = 10 * second;

/** How often the state of endpoints is read again: attempts make no events. */
export const healthMs = 10 * second;

/** How often what changes without an event is read again at most, for each page of a list. */
const pageMs = 2 * second;

/** How late what waits for an attempt is read again: someone may resume or replay it before its time. */
const maxAttemptMs = 60 * second;

/** When data was read. */
interface Read {
  /** In milliseconds since 1970. */
  at: number;
  /** For how long it has been the same, in milliseconds. */
  unchangedMs: number;
}

/** When each state was read for the first time. What is read again and is the same stays the same object. */
const firstReads = new WeakMap<object, number>();

/** Returns how many requests read data again, one after the other: one for each page of a list. */
function countRequests(data: unknown): number {
  return (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
}

/**
 * Returns how often a query is read again while its page is looked at, for `refetchInterval`: what changes without an event.
 *
 * @param interval In milliseconds, or what it is for what was read. false: only after a failure that may pass
 */
export function every<Data extends object>(
  interval: number | false | ((data: Data, read: Read) => number | false),
) {
  return ({ state }: { state: { data: unknown; dataUpdatedAt: number; error: Error | null } }) => {
    if (state.error !== null) return isTemporary(state.error) ? retryMs : false;
    if (state.data === undefined) return false;
    const data = state.data as Data;
    const { dataUpdatedAt: at } = state;
    const first = firstReads.get(data) ?? at;
    firstReads.set(data, first);
    const wait =
      typeof interval === 'function' ? interval(data, { at, unchangedMs: at - first }) : interval;
    return wait === false ? false : Math.max(wait, pageMs * countRequests(data));
  };
}

/**
 * Returns in how many milliseconds to read deliveries again: when the next attempt is due. Where no time is known, an attempt is in
 * flight or the webhook is paused: the longer nothing changes, the later.
 *
 * @returns false if none is pending
 */
export function untilNextAttempt(
  deliveries: readonly Pick<Delivery, 'state' | 'nextAttemptAt'>[],
  { at, unchangedMs }: Read,
): number | false {
  const waits = deliveries
    .filter(({ state }) => state === 'pending')
    .map(({ nextAttemptAt: due }) => (due === null ? unchangedMs : Date.parse(due) - at));
  if (waits.length === 0) return false;
  return Math.min(...waits, maxAttemptMs);
}

/**
 * Reads again what is shown of some kinds, and the rest when it is shown.
 *
 * @param kinds null: all
 * @param before Only what was read before this time, in milliseconds.
 */
export function refresh(
  queries: QueryClient,
  kinds: readonly Kind[] | null,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [kind], state: { dataUpdatedAt } }: Query) =>
      dataUpdatedAt < before && (kinds?.includes(kind as Kind) ?? true),
  });
}

/** Returns how many requests the longest list that is shown takes. */
export function countShownRequests(queries: QueryClient): number {
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  return Math.max(1, ...shown.map(({ state }) => countRequests(state.data)));
}

/** Returns a function that reads again what a change affects. */
export function useRefresh(...kinds: Kind[]): () => Promise<void> {
  const queries = useQueryClient();
  return () => refresh(queries, kinds);
}

/**
 * Returns why the last call of a query failed, also while it is tried again, and also if no call succeeded yet. TanStack Query forgets
 * the error of such a query when it starts the next call, and the page would lose its heading and the focus.
 */
export function useFailure(
  query: Pick<UseQueryResult, 'error' | 'isPending' | 'errorUpdateCount'>,
): Error | null {
  const last = useRef<Error>(null);
  useEffect(() => {
    if (query.error !== null) last.current = query.error;
  });
  return query.isPending && query.errorUpdateCount > 0 ? last.current : query.error;
}

/** Creates what remembers the responses of the service. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        // `live` invalidates what events change. A page that is opened again shows what is remembered, and reads it again if it is older.
        staleTime: 5 * second,
        gcTime: 10 * 60 * second,
        refetchInterval: every(false),
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
