import type { ReplayedDeliveries } from '@tradepost/contract/wire';
import type { RequestOptions } from '../options';
import type { ReplayAllParams, Webhooks } from '../resources/webhooks';
import type { ApiResponse } from './api-promise';
import { createCursorLoopDetector } from './pagination';
import { createIdempotencyKey } from './request';

/** The steps of `webhooks.replayAll`: each sends one request. After an error the next step sends the same request again. */
export function createReplaySteps(
  webhooks: Webhooks,
  id: string,
  params: ReplayAllParams,
  options: Omit<RequestOptions, 'idempotencyKey'> | undefined,
  createLoopError: (response: ApiResponse<unknown>) => Error,
): () => Promise<IteratorResult<ReplayedDeliveries, undefined>> {
  const { max = Number.POSITIVE_INFINITY, limit = 100, ...filter } = params;
  let left = max;
  let cursor: string | null | undefined = filter.cursor;
  let idempotencyKey: string | undefined;
  let loopError: Error | undefined;
  const isLoop = createCursorLoopDetector(filter.cursor);
  return async () => {
    if (loopError !== undefined) throw loopError;
    if (cursor === null || left <= 0) return { done: true, value: undefined };
    idempotencyKey ??= createIdempotencyKey();
    const next = { ...filter, limit: Math.min(limit, left), ...(cursor && { cursor }) };
    const request = { ...options, idempotencyKey };
    const response = await webhooks.replayDeliveries(id, next, request).withResponse();
    const { data: value } = response;
    left -= value.replayed + value.skipped;
    // It would replay the same deliveries for ever.
    if (value.nextCursor !== null && isLoop(cursor, value.nextCursor)) {
      loopError = createLoopError(response);
    }
    cursor = value.nextCursor;
    idempotencyKey = undefined;
    return { done: false, value };
  };
}
