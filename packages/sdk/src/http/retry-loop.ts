import { readExtensions, TimeoutError } from '../errors';
import type { ApiResponse } from './api-promise';
import { type Attempt, createAbortError, createError } from './attempt';
import { idempotency, ifMatch } from './headers';
import type { Instrumentation } from './instrumentation';
import type { BuiltRequest, Call } from './request';
import type { ResolvedOptions } from './resolved-options';
import { parseResponse } from './response';
import { classifyAttempt, retryDelay } from './retry';
import type { Runtime } from './runtime';
import { createSender } from './send';
import { withTimeout } from './with-timeout';

export { followPages } from './follow-pages';
export { moveOrder } from './move-order';

/** What the client has learned about the service. Clients that `withOptions` creates share it. */
export interface ServiceTraits {
  /** Whether a response said that the service honours idempotency keys. */
  honoursKeys: boolean;
}

/**
 * Sends a call, and retries it until it succeeds or fails finally.
 *
 * @throws {TradepostError} the error of the last attempt.
 * @throws {Error} for arguments of the wrong type.
 */
export type RetryLoop = <Result>(
  call: Call<Result>,
  built: BuiltRequest,
  attempt: Attempt,
) => Promise<ApiResponse<Result>>;

/** Creates the function that sends the calls of one client. */
export function createRetryLoop(
  options: ResolvedOptions,
  { elapsed, now, random, wait }: Runtime,
  instrumentation: Instrumentation,
  traits: ServiceTraits,
): RetryLoop {
  const sendAttempt = createSender(options, instrumentation);

  /** Whether a POST with the same key certainly has one effect. */
  const honoursKeys = () =>
    options.idempotency === 'assume' || (options.idempotency === 'detect' && traits.honoursKeys);

  return async (call, built, attempt) => {
    const { limits } = built;
    let { request } = built;
    const signal = call.options?.signal;
    const remaining = () => limits.deadline - (elapsed() - attempt.startedAt);
    if (remaining() <= 0) {
      const what = `was not sent, because its deadline of ${limits.deadline} ms had passed.`;
      throw createError(TimeoutError, attempt, what, { code: 'timeout' });
    }

    for (;;) {
      if (signal?.aborted) throw createAbortError(attempt, signal.reason);
      attempt.number += 1;
      attempt.sent = undefined;
      const attemptStartedAt = elapsed();
      const result = await withTimeout(
        (stop) => sendAttempt(request, attempt, stop),
        Math.min(limits.timeout, remaining()),
        signal,
      );
      if (result.kind === 'response') {
        const { response } = result;
        const { status, headers, requestId } = response;
        if (Number(headers.get(idempotency)) > 0) traits.honoursKeys = true;
        instrumentation.received(attempt, response, elapsed() - attemptStartedAt);
        if (status >= 200 && status < 300) {
          const data = parseResponse(response, attempt, call, options.validate);
          return { data, status, headers, requestId, extensions: readExtensions(headers) };
        }
        const tag = request.headers[ifMatch];
        const original = status === 412 && tag ? restoreTags(tag) : tag;
        // A 412 had no effect.
        if (original !== undefined && original !== tag && remaining() > 0) {
          request = { ...request, headers: { ...request.headers, [ifMatch]: original } };
          continue;
        }
      }
      const outcome = classifyAttempt(result, {
        attempt,
        call,
        options,
        honoursKeys: honoursKeys(),
        now: now(),
      });
      if ('data' in outcome) return outcome;
      const { error, retry } = outcome;
      const delay = retryDelay(
        {
          ...retry,
          attempt: attempt.number,
          maxRetries: limits.maxRetries,
          remainingMs: remaining(),
        },
        random(),
      );
      if (delay === null) throw error;
      attempt.mayHaveBeenApplied = error.mayHaveBeenApplied;
      instrumentation.retrying(attempt, error, delay, elapsed() - attemptStartedAt);
      await (options.wait ?? wait)(delay, signal);
      // A timer may fire late; nothing is sent after the deadline.
      if (remaining() <= 0) throw error;
    }
  };
}

/**
 * Returns entity tags as a service sent them, before a proxy that compresses changed them to `W/"3"` (nginx) or
 * `"3-gzip"` (Apache). A service may compare strongly, as RFC 9110, section 13.1.1, requires: then a weak tag never
 * matches. They are sent only after a 412, since the weak tags may be the service's own.
 */
function restoreTags(tags: string): string {
  return tags.replace(/(?:W\/)?"([^"]*?)(?:[-;]{1,2}(?:br|deflate|gzip|zstd))?"/g, '"$1"');
}
