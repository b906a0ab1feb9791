import type { ReplayedDeliveries } from '@tradepost/contract/wire';
import type { ApiResponse } from './api-promise';
import { createCursorLoopDetector } from './pagination';
import { createIdempotencyKey } from './request';

/**
 * The steps of `webhooks.replayAll`: each sends one request. After an error the next step sends the same request again.
 *
 * @param send Sends a request with these parameters and this idempotency key.
 */
export function createReplaySteps<
  Params extends {
    max?: number | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  },
>(
  send: (
    params: Omit<Params, 'max'>,
    idempotencyKey: string,
  ) => Promise<ApiResponse<ReplayedDeliveries>>,
  params: Params,
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
    const response = await send(next as unknown as Omit<Params, 'max'>, idempotencyKey);
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
