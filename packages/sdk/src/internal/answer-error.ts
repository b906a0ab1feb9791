import { headerNames, type Problem } from '@tradepost/contract/wire';
import { AuthenticationError } from '../errors/authentication-error';
import { ConflictError } from '../errors/conflict-error';
import { NotFoundError } from '../errors/not-found-error';
import { PermissionError } from '../errors/permission-error';
import { PreconditionFailedError } from '../errors/precondition-failed-error';
import { RateLimitError } from '../errors/rate-limit-error';
import { ServerError } from '../errors/server-error';
import { TradepostError } from '../errors/tradepost-error';
import { UnreadableAnswerError } from '../errors/unreadable-answer-error';
import { ValidationError } from '../errors/validation-error';
import { type Attempt, footnote } from './attempt';
import { excerpt } from './excerpt';
import { parseJson } from './parse-json';
import type { IncomingAnswer } from './send-once';

/** A browser hides a redirect's status behind 0. */
const redirects = [0, 301, 302, 303, 307, 308];

/**
 * The error for an answer that is not a 2xx, in the class that its status means.
 *
 * @param retryAfter seconds, as `Retry-After` has it
 */
export function answerError(
  answer: IncomingAnswer,
  attempt: Attempt,
  retryAfter: number | null,
): TradepostError {
  const { status, headers } = answer;
  const { method, path } = attempt;
  const problem = readProblem(parseJson(answer.text));
  const requestId = problem?.requestId || headers.get(headerNames.requestId);
  const code = problem?.code ?? (redirects.includes(status) ? 'redirected' : 'http_error');
  const reason = problem ? `${status} ${code}: ${problem.detail}` : reasonWithoutProblem(answer);
  const message = `${method} ${path} failed with ${reason}${footnote(attempt, requestId)}`;
  const details = { code, status: status || null, requestId, method, path, problem, retryAfter };
  if (status >= 500) return new ServerError(message, details);
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return new ValidationError(message, details);
    case 401:
      return new AuthenticationError(message, details);
    case 403:
      return new PermissionError(message, details);
    case 404:
      return new NotFoundError(message, details);
    case 409:
      return new ConflictError(message, details);
    case 412:
      return new PreconditionFailedError(message, details);
    case 429:
      return new RateLimitError(message, details);
    default:
      return new TradepostError(message, details);
  }
}

/** The error for a 2xx whose body is not what the contract says. */
export function unreadableError(
  { status, headers, text }: IncomingAnswer,
  attempt: Attempt,
): UnreadableAnswerError {
  const { method, path } = attempt;
  const requestId = headers.get(headerNames.requestId);
  return new UnreadableAnswerError(
    `${method} ${path} was answered with ${status}, but its body is not the JSON that the contract says: ${excerpt(text)}. Check that baseUrl leads to the service itself.${footnote(attempt, requestId)}`,
    { code: 'unreadable_answer', status, requestId, method, path },
  );
}

/** A body counts as a problem when it has what programs and people need: its code and its detail. */
function readProblem(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, detail } = body as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : null;
}

function reasonWithoutProblem({ status, headers, text }: IncomingAnswer): string {
  if (!redirects.includes(status)) {
    return `${status}, and not in the service's own words: ${excerpt(text)}`;
  }
  const location = headers.get(headerNames.location);
  return `a redirect${location === null ? '' : ` to ${excerpt(location)}`}. It was not followed, so that the API key goes nowhere else: set baseUrl to the service's own address.`;
}
