import { type InvalidResponseError, TradepostError } from '../errors';
import type { ApiResponse } from './api-promise';
import { type Cursor, createCursorLoopDetector } from './pagination';
import { retryableStatuses } from './retry';
import type { Runtime } from './runtime';

/** What `onOutage` is called with. */
export type StreamOutage =
  | {
      /** A request failed, and is sent again after a wait. */
      state: 'waiting';
      /** Why it failed. */
      error: TradepostError;
      /** How many requests have failed since the last response, from 1. */
      failures: number;
      /** Milliseconds until the next request. */
      delayMs: number;
      /** Milliseconds until the loop throws the error of the last request. */
      remainingMs: number;
    }
  | {
      /** The service has responded again. Nothing is missed. */
      state: 'over';
      /** How many requests failed. */
      failures: number;
    };

/** How pages are followed. */
interface Following<Page> {
  firstCursor: Cursor;
  /** The page after that cursor. */
  first: ApiResponse<Page>;
  /** Requests the page after a cursor. If it waits, the service may wait for items; otherwise what there is comes at once. */
  requestPage: (cursor: Cursor, waits: boolean) => Promise<ApiResponse<Page>>;
  /** Creates the error for a page whose cursor leads back to an earlier page, except at the end. */
  createLoopError: (response: ApiResponse<unknown>) => InvalidResponseError;
  /** Milliseconds. */
  reconnectTimeout: number;
  onOutage: ((outage: StreamOutage) => void) | undefined;
  signal: AbortSignal | undefined;
  /** Waits before a request is sent again. */
  wait: Runtime['wait'];
  runtime: Pick<Runtime, 'elapsed' | 'random' | 'wait'>;
}

/** Minimum time between two requests for new items, for a service that ignores `waitSeconds`. */
const minRoundMs = 1_000;

/** The wait before a request is sent again doubles from here … */
const firstDelayMs = 1_000;
/** … up to here. */
const maxDelayMs = 15_000;

/** Whether a service that has responded before may respond again. */
function isOutage(error: unknown): error is TradepostError {
  if (!(error instanceof TradepostError)) return false;
  return error.status === null
    ? /^(connection_failed|timeout|rate_limited)$/.test(error.code)
    : retryableStatuses.has(error.status);
}

/**
 * Requests page after page without an end, each from where the previous one ended. The service has responded, so that it is
 * given some time to come back.
 *
 * @throws {TradepostError} the error of the last request of an outage, and any other error at once.
 * @throws {InvalidResponseError} the error of `createLoopError`, after the page.
 */
export async function* followPages<
  Page extends { data: unknown[]; nextCursor: string; hasMore?: boolean },
>({
  firstCursor,
  first,
  requestPage,
  createLoopError,
  reconnectTimeout,
  onOutage,
  signal,
  wait,
  runtime,
}: Following<Page>): AsyncGenerator<Page, never, undefined> {
  const { elapsed, random } = runtime;
  let waits = false;
  let startedAt = elapsed();

  async function request(cursor: Cursor): Promise<ApiResponse<Page>> {
    // The sum of the waits and the requests: while a computer sleeps, no time is lost.
    let awayMs = 0;
    for (let failures = 0; ; ) {
      startedAt = elapsed();
      try {
        // Throws if the signal aborted, also during a pause.
        const response = await requestPage(cursor, waits);
        if (failures > 0) onOutage?.({ state: 'over', failures });
        return response;
      } catch (error) {
        if (!isOutage(error)) throw error;
        failures += 1;
        awayMs += elapsed() - startedAt;
        const remainingMs = reconnectTimeout - awayMs;
        const retryAfterMs = (('retryAfter' in error && Number(error.retryAfter)) || 0) * 1_000;
        if (remainingMs <= 0 || retryAfterMs > remainingMs) throw error;
        const bound = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
        // Not all clients come back at the same time.
        const delay = Math.max((bound * (1 + random())) / 2, retryAfterMs);
        const delayMs = Math.min(delay, remainingMs);
        onOutage?.({ state: 'waiting', error, failures, delayMs, remainingMs });
        await wait(delayMs, signal);
        awayMs += delayMs;
        // What was missed comes at once.
        waits = false;
      }
    }
  }

  const isLoop = createCursorLoopDetector(firstCursor);
  let cursor = firstCursor;
  for (let response = first; ; response = await request(cursor)) {
    const page = response.data;
    yield page;
    const isAtEnd = page.data.length === 0 && page.hasMore !== true;
    // A page at the end may repeat its cursor.
    if (!isAtEnd && isLoop(cursor, page.nextCursor)) throw createLoopError(response);
    cursor = page.nextCursor;
    const pause = minRoundMs - (elapsed() - startedAt);
    if (isAtEnd && waits && pause > 0) await runtime.wait(pause, signal);
    waits ||= isAtEnd;
  }
}
