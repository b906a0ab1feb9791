import { AuthenticationError } from '../errors/authentication-error';
import { ConflictError } from '../errors/conflict-error';
import { NotFoundError } from '../errors/not-found-error';
import { PermissionError } from '../errors/permission-error';
import { PreconditionFailedError } from '../errors/precondition-failed-error';
import type { Problem } from '../errors/problem';
import { RateLimitError } from '../errors/rate-limit-error';
import { ServerError } from '../errors/server-error';
import {
  type ErrorCode,
  TradepostError,
  type TradepostErrorDetails,
} from '../errors/tradepost-error';
import { ValidationError } from '../errors/validation-error';
import { adviceOn, beyondInterface, doneBefore, sayMore } from './advice';
import { type Attempt, attemptError } from './attempt';
import type { IncomingAnswer } from './attempt-end';
import { excerpt } from './excerpt';
import { location } from './header-names';
import { parseJson } from './parse-json';

type ErrorClass = new (
  message: string,
  details: TradepostErrorDetails & { retryAfter: number | null },
) => TradepostError;

const classes: Readonly<Record<number, ErrorClass>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/** A browser hides a redirect's status behind 0. */
const redirects = [0, 301, 302, 303, 307, 308];

/**
 * The error for an answer that is not a 2xx, in the class that its status means.
 *
 * @param extension whether the interface does not have the call
 * @param retryAfter seconds, as `Retry-After` has it
 */
export function answerError(
  answer: IncomingAnswer,
  attempt: Attempt,
  extension: boolean,
  retryAfter: number | null,
): TradepostError {
  const { status, text, headers } = answer;
  const problem = readProblem(parseJson(text));
  const requestId = problem?.requestId || answer.requestId;
  let code: ErrorCode = 'http_error';
  let reason: string;
  if (problem) {
    code = problem.code;
    reason = `${status} ${code}: ${problem.detail}`;
    if (extension) reason = sayMore(reason, beyondInterface(status, code));
  } else if (redirects.includes(status)) {
    code = 'redirected';
    const to = headers.get(location);
    reason = `a redirect${to === null ? '' : ` to ${excerpt(attempt.blotOut(to))}`}. It was not followed, so that the API key goes nowhere else: set baseUrl to the service's own address.`;
  } else {
    reason = `${status}, and not in the service's own words: ${excerpt(attempt.blotOut(text))}. ${adviceOn(status, extension, retryAfter)}`;
  }
  // A POST has its key, which answers for the first attempt.
  if (attempt.mayBeDoneBefore && status < 500 && ['PATCH', 'DELETE'].includes(attempt.method)) {
    reason = sayMore(reason, doneBefore);
  }
  const Class = classes[status] ?? (status >= 500 ? ServerError : TradepostError);
  const details = { code, status: status || null, requestId, problem, retryAfter };
  return attemptError(Class, attempt, `failed with ${reason}`, details);
}

/** A body counts as a problem when it has what programs and people need: its code and its detail. */
function readProblem(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, detail } = body as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : null;
}
