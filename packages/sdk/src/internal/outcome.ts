import { AbortError } from '../errors/abort-error';
import { ConnectionError } from '../errors/connection-error';
import { TimeoutError } from '../errors/timeout-error';
import type { TradepostError } from '../errors/tradepost-error';
import type { Answer } from './answer';
import { answerError } from './answer-error';
import { type Attempt, attemptError } from './attempt';
import type { AttemptEnd } from './attempt-end';
import type { Call } from './call';
import { describeBreak, neverSent } from './connection-break';
import { ifMatch } from './header-names';
import { retryAfterSeconds } from './retry-after';
import type { FailedAttempt } from './retry-delay';
import type { Settings } from './settings';

/** An attempt that failed, with what is known for the retry decision. */
export interface Failure {
  error: TradepostError;
  retry: Pick<FailedAttempt, 'status' | 'repeatable' | 'withoutEffect' | 'retryAfterMs'>;
}

/** What an attempt is judged by, besides its end. */
export interface Circumstances<Result> {
  attempt: Attempt;
  call: Call<Result>;
  settings: Settings;
  /** Milliseconds since 1970, for a `Retry-After` date. */
  now: number;
}

/**
 * Judges how an attempt ended. A 2xx does not come here: it needs no judgement. A repeated DELETE may
 * have done what it should all the same.
 *
 * @throws {TradepostError} when that is final: it was stopped, or refused by a hook.
 */
export function outcomeOf<Result>(
  end: AttemptEnd,
  { attempt, call, settings, now }: Circumstances<Result>,
): Answer<Result> | Failure {
  const { sent } = attempt;
  // A guarded change that succeeded unheard could be refused for its own effect: a service need not
  // answer 200 for the status that an order has already before it looks at If-Match.
  const repeatable = !sent || !(ifMatch in sent.headers || call.mayUndo);
  const lost = { status: null, repeatable, withoutEffect: !sent, retryAfterMs: null };
  switch (end.kind) {
    case 'aborted':
      throw abortError(attempt, end.reason);
    case 'refused':
      throw end.error;
    case 'timeout': {
      const what = `got no complete answer within ${Math.round(end.after)} ms. If that is too short for it, raise timeout and deadline.`;
      return { error: attemptError(TimeoutError, attempt, what, { code: 'timeout' }), retry: lost };
    }
    case 'broken': {
      const { cause } = end;
      const { origin } = new URL(settings.baseUrl);
      const what = `got no complete answer from ${origin}: ${describeBreak(cause)}. Check baseUrl, and that the service can be reached from here.`;
      const error = attemptError(ConnectionError, attempt, what, {
        code: 'connection_failed',
        neverSent: !sent || neverSent(cause),
        cause,
      });
      return { error, retry: { ...lost, withoutEffect: error.neverSent } };
    }
  }
  const { answer } = end;
  const { status, headers, requestId } = answer;
  const retryAfter = retryAfterSeconds(headers, now);
  const error = answerError(answer, attempt, call.extension === true, retryAfter);
  // An attempt before this one did it, and its answer was lost: as if this were that answer.
  const done =
    attempt.mayBeDoneBefore &&
    attempt.method === 'DELETE' &&
    isGone(error) &&
    call.read(undefined, 204);
  if (done || done === undefined) return { data: done, status, headers, requestId };
  // The service's own 503 comes before any work is done; a proxy's may come after.
  const withoutEffect =
    status === 425 || status === 429 || (status === 503 && error.problem !== null);
  const retryAfterMs = retryAfter && retryAfter * 1_000;
  return { error, retry: { status, repeatable, withoutEffect, retryAfterMs } };
}

/** The error for a call that its caller's signal has stopped. */
export function abortError(attempt: Attempt, cause: unknown): AbortError {
  return attemptError(AbortError, attempt, "was aborted by the caller's signal.", {
    code: 'aborted',
    cause,
  });
}

/** Whether the service itself says that a record is not there, rather than that a path is not. */
function isGone({ status, problem }: TradepostError): boolean {
  return status === 404 && problem !== null && problem.code !== 'route_not_found';
}
