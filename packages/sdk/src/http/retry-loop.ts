import { RateLimitError, readExtensions, TimeoutError, type TradepostError } from '../errors';
import type { ApiResponse } from './api-promise';
import { type Attempt, type AttemptResult, createAbortError, createError } from './attempt';
import { AttemptReports } from './attempt-reports';
import { authorization, idempotency, ifMatch } from './headers';
import type { Instrumentation } from './instrumentation';
import { createPacer, type Pacer } from './pacer';
import type { BuiltRequest, Call } from './request';
import type { ResolvedOptions } from './resolved-options';
import { parseResponse } from './response';
import { classifyAttempt, describeLateness, retryDelay } from './retry';
import type { Runtime } from './runtime';
import { createSender } from './send';
import { withTimeout } from './with-timeout';

export { followPages } from './follow-pages';
export { moveOrder } from './move-order';
export { createReplaySteps } from './replay-portions';

/** What a client has learned. Clients that `withOptions` creates share it. */
export interface Learned {
  readonly service: {
    /** Whether a response said that the service honours idempotency keys. */
    honoursKeys: boolean;
  };
  /** What is about the API key too. */
  readonly key: { pacer?: Pacer };
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
  runtime: Runtime,
  instrumentation: Instrumentation,
  { service, key }: Learned,
): RetryLoop {
  const { elapsed, now, random } = runtime;
  const wait = options.wait ?? runtime.wait;
  const reports = new AttemptReports(instrumentation);
  const sendAttempt = createSender(options, reports);
  key.pacer ??= createPacer(runtime);
  const ownPacer = key.pacer;

  /** Whether a POST with the same key certainly has one effect. */
  const honoursKeys = () =>
    options.idempotency === 'assume' || (options.idempotency === 'detect' && service.honoursKeys);

  return async (call, built, attempt) => {
    const { limits } = built;
    let { request } = built;
    const signal = call.options?.signal;
    const polls = Number(call.waitSeconds) > 0;
    // A call may have a key of its own.
    const isOwnKey = request.headers[authorization] === options.headers[authorization];
    const pacer = isOwnKey ? ownPacer : createPacer(runtime);
    const remaining = () => limits.deadline - (elapsed() - attempt.startedAt);

    /** Waits until the rate limit allows another request. */
    async function waitForTurn(cause: TradepostError | undefined): Promise<void> {
      const turn = {
        isRetry: cause !== undefined,
        polls,
        deadlineAt: attempt.startedAt + limits.deadline,
        wait,
        onWait: (milliseconds: number) => reports.waiting(attempt, milliseconds),
      };
      const outcome = await withTimeout((stop) => pacer.queue(turn, stop), remaining(), signal);
      if (outcome === undefined) return;
      const again = cause ? ' again' : '';
      if (typeof outcome === 'number') {
        const what = `was not sent${again}: ${describeLateness('the rate limit is used up for', outcome, remaining())}`;
        throw createError(RateLimitError, attempt, what, {
          code: 'rate_limited',
          retryAfter: Math.ceil(outcome / 1_000),
          cause,
        });
      }
      if (outcome.kind === 'aborted') throw createAbortError(attempt, outcome.reason);
      const what = `was not sent${again}, because its deadline of ${limits.deadline} ms passed while it waited for the rate limit.`;
      throw createError(TimeoutError, attempt, what, { code: 'timeout', cause });
    }

    if (remaining() <= 0) {
      const what = `was not sent, because its deadline of ${limits.deadline} ms had passed.`;
      throw createError(TimeoutError, attempt, what, { code: 'timeout' });
    }

    for (let failed: TradepostError | undefined; ; ) {
      if (signal?.aborted) throw createAbortError(attempt, signal.reason);
      // Without a wait, and so without a promise, for most calls.
      if (!pacer.enter(polls)) await waitForTurn(failed);
      attempt.number += 1;
      attempt.sent = undefined;
      const attemptStartedAt = elapsed();
      let result: AttemptResult | undefined;
      try {
        result = await withTimeout(
          (stop) => sendAttempt(request, attempt, stop),
          Math.min(limits.timeout, remaining()),
          signal,
        );
      } finally {
        const response = result?.kind === 'response' ? result.response : undefined;
        pacer.leave(polls, attemptStartedAt, response);
      }
      if (result.kind === 'response') {
        const { response } = result;
        const { status, headers, requestId } = response;
        if (Number(headers.get(idempotency)) > 0) service.honoursKeys = true;
        reports.received(attempt, response, elapsed() - attemptStartedAt);
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
        maxRetries: limits.maxRetries,
        remainingMs: remaining(),
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
      reports.retrying(attempt, error, delay, elapsed() - attemptStartedAt);
      await wait(delay, signal);
      // A timer may fire late; nothing is sent after the deadline.
      if (remaining() <= 0) throw error;
      failed = error;
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
