import { AbortError } from '../errors/abort-error';
import { ConnectionError } from '../errors/connection-error';
import { TimeoutError } from '../errors/timeout-error';
import type { TradepostError } from '../errors/tradepost-error';
import { answerError, unreadableError } from './answer-error';
import { type Attempt, footnote } from './attempt';
import { describeBreak, neverSent } from './connection-break';
import { parseJson } from './parse-json';
import { retryAfterSeconds } from './retry-after';
import type { FailedAttempt } from './retry-delay';
import type { AttemptEnd, IncomingAnswer } from './send-once';

/** What came of an attempt: the result, or an error with what is known for the retry decision. */
export type Outcome<Result> =
  | { ok: true; result: Result }
  | { ok: false; error: TradepostError; retry: RetryFacts | null };

/** What an attempt's end says about repeating it; null where it is final whatever follows. */
type RetryFacts = Pick<FailedAttempt, 'status' | 'withoutEffect' | 'retryAfterMs'>;

/**
 * Judges how an attempt ended.
 *
 * @param read takes the result out of a 2xx's parsed body; null when it is not there
 * @param now milliseconds since 1970, for a `Retry-After` date
 */
export function outcomeOf<Result>(
  end: AttemptEnd,
  attempt: Attempt,
  read: (body: unknown) => Result | null,
  now: number,
): Outcome<Result> {
  const { method, path } = attempt;
  const lost = { status: null, withoutEffect: false, retryAfterMs: null };
  switch (end.kind) {
    case 'answer':
      return outcomeOfAnswer(end.answer, attempt, read, now);
    case 'aborted':
      return { ok: false, error: abortError(attempt, end.reason), retry: null };
    case 'timeout': {
      const message = `${method} ${path} got no complete answer within ${Math.round(end.after)} ms. If that is too short for it, raise timeout and deadline.${footnote(attempt, null)}`;
      const error = new TimeoutError(message, { code: 'timeout', method, path });
      return { ok: false, error, retry: lost };
    }
    case 'broken': {
      const { cause, origin } = end;
      const message = `${method} ${path} got no complete answer from ${origin}: ${describeBreak(cause)}. Check baseUrl, and that the service can be reached from here.${footnote(attempt, null)}`;
      const error = new ConnectionError(message, {
        code: 'connection_failed',
        method,
        path,
        cause,
      });
      return { ok: false, error, retry: { ...lost, withoutEffect: neverSent(cause) } };
    }
  }
}

/** The error for a call that its caller's signal has stopped. */
export function abortError({ method, path }: Attempt, reason: unknown): AbortError {
  const message = `${method} ${path} was aborted by the caller's signal.`;
  return new AbortError(message, { code: 'aborted', method, path, cause: reason });
}

function outcomeOfAnswer<Result>(
  answer: IncomingAnswer,
  attempt: Attempt,
  read: (body: unknown) => Result | null,
  now: number,
): Outcome<Result> {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const result = read(parseJson(answer.text));
    if (result !== null) return { ok: true, result };
    return { ok: false, error: unreadableError(answer, attempt), retry: null };
  }
  const retryAfter = retryAfterSeconds(answer.headers, now);
  const error = answerError(answer, attempt, retryAfter);
  // The service's own 503 comes before any work is done; a proxy's may come after.
  const withoutEffect =
    status === 425 || status === 429 || (status === 503 && error.problem !== null);
  const retryAfterMs = retryAfter === null ? null : retryAfter * 1_000;
  return { ok: false, error, retry: { status, withoutEffect, retryAfterMs } };
}
