import type { ProblemIssue } from '@tradepost/contract/wire';
import { getErrorMessage } from '../error-message';
import {
  AuthenticationError,
  ConflictError,
  type ErrorCode,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  type Problem,
  RateLimitError,
  ServerError,
  TradepostError,
  type TradepostErrorDetails,
  ValidationError,
} from '../errors';
import type { ResponseValidator } from '../options';
import type { RawResponse } from './attempt';
import { type Attempt, createError } from './attempt';
import { isRecord, limitBody } from './envelope';
import { location } from './headers';
import type { Call } from './request';

/** How many issues a message lists; `errors` has all of them. */
const maxListedIssues = 3;

/**
 * Reads the result from a 2xx response.
 *
 * @throws {TradepostError} when the response is not valid.
 */
export function parseResponse<Result>(
  response: RawResponse,
  attempt: Attempt,
  call: Call<Result>,
  validate: ResponseValidator | undefined,
): Result {
  const { status, text } = response;
  const body = text === '' ? null : parseJson(text);
  const result = call.read(body, text);
  const mayHaveBeenApplied = attempt.method !== 'GET';
  if (result === null) {
    // The specification does not show this response, so what it has is taken as it is.
    if (call.known !== undefined && !(body === undefined && isUnreadable(response))) {
      return isRecord(body) && body.data === undefined ? mergeKnown(call.known, body) : call.known;
    }
    const what = appendHint(
      `returned ${status}, but its body is not the expected JSON: ${truncate(attempt.redact(text))}`,
      mayHaveBeenApplied
        ? 'If baseUrl is the address of the service, the change was made: do not repeat it.'
        : 'Check that baseUrl is the address of the service.',
    );
    throw createError(InvalidResponseError, attempt, what, {
      ...describeResponse(response, body),
      code: 'invalid_response',
      mayHaveBeenApplied,
    });
  }
  if (!validate) return result;
  let errors: readonly ProblemIssue[];
  try {
    const route = call.endpoint.path;
    errors = validate({ method: attempt.method, route, status, body: text ? body : undefined });
  } catch (cause) {
    const what = `succeeded, but the validate option threw: ${getErrorMessage(cause)}.`;
    throw createError(TradepostError, attempt, what, {
      ...describeResponse(response, body),
      code: 'hook_failed',
      mayHaveBeenApplied,
      cause,
    });
  }
  if (errors.length === 0) return result;
  const what = `returned ${status}, but its body does not match the contract: ${listIssues(errors)}. The request succeeded.`;
  throw createError(InvalidResponseError, attempt, what, {
    ...describeResponse(response, body),
    code: 'contract_mismatch',
    mayHaveBeenApplied,
    errors,
  });
}

/**
 * Adds the fields of a body without the envelope to what is certain. A record of the same ID says more than the
 * request did, such as another status; any other body does not replace what is certain.
 */
function mergeKnown<Result>(known: Result, body: Record<string, unknown>): Result {
  const { id } = known as { id?: unknown };
  return id !== undefined && body.id === id ? { ...known, ...body } : { ...body, ...known };
}

/**
 * Whether a body that is not JSON should have been: it is truncated, or a web page, which is rarely of the service
 * but of a proxy or another program.
 */
function isUnreadable({ headers, text }: RawResponse): boolean {
  return /json|html/i.test(headers.get('content-type') ?? '') || /^\s*</.test(text);
}

/** Returns what an error reports about its response, which has the given JSON, or undefined. */
function describeResponse({ status, headers, requestId, text }: RawResponse, json: unknown) {
  // Browsers report a redirect as status 0.
  return { status: status || null, headers, requestId, body: limitBody(json, text) };
}

function listIssues(issues: readonly ProblemIssue[]): string {
  const listed = issues.slice(0, maxListedIssues).map(({ path, message }) => `${path} ${message}`);
  const more = issues.length - listed.length;
  return listed.join('; ') + (more > 0 ? ` (and ${more} more)` : '');
}

/** Parses JSON. Undefined when the text is not valid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ErrorClass = new (
  message: string,
  details: TradepostErrorDetails & { retryAfter: number | null },
) => TradepostError;

const errorClasses: Readonly<Record<number, ErrorClass>> = {
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

/** Browsers report a redirect as status 0. */
const redirects = [0, 301, 302, 303, 307, 308];

/**
 * Creates the error for a response that is not a 2xx, in the class of its status.
 *
 * @param extension whether the call is an extension
 * @param retryAfter seconds, from `Retry-After`
 * @param note appended to the message if this attempt may have made the change
 * @param whyNotRetried returns what is appended at the end; its argument tells whether the response is a problem
 */
export function errorFromResponse(
  response: RawResponse,
  attempt: Attempt,
  {
    extension,
    retryAfter,
    note,
    whyNotRetried,
  }: {
    extension: boolean;
    retryAfter: number | null;
    note: string;
    whyNotRetried: (isProblem: boolean) => string;
  },
): TradepostError {
  const { status, text, headers } = response;
  const body = parseJson(text);
  const problem = readProblem(body);
  const requestId = problem?.requestId || response.requestId;
  let code: ErrorCode = 'http_error';
  let reason: string;
  if (problem) {
    code = problem.code;
    reason = `${status} ${code}: ${problem.detail}`;
    // A service without the extension responds with 405 when the path has another method.
    if (extension && (status === 405 || code === 'route_not_found')) {
      reason = appendHint(reason, `${maybeUnsupported}.`);
    }
  } else if (redirects.includes(status)) {
    code = 'redirected';
    const to = headers.get(location);
    reason = `a redirect${to ? ` to ${truncate(attempt.redact(to))}` : ''}. It was not followed, so that the API key is not sent elsewhere: set baseUrl to the address of the service.`;
  } else {
    reason = appendHint(
      `${status}, and its body is not a problem document: ${truncate(attempt.redact(text))}`,
      getHint(status, extension, retryAfter),
    );
  }
  // With these problems, the service rejects a request before it does anything.
  const isNotStarted = ['overloaded', 'shutting_down'].includes(code) && status === 503;
  // After a 302 or 303, the change is often made, and its result is elsewhere. Browsers report redirects as 0.
  const isUnclear = [0, 302, 303, 408].includes(status) || status >= 500;
  const mayBeDone = isUnclear && !isNotStarted && attempt.method !== 'GET';
  if (mayBeDone) reason += note;
  // A POST is repeated only with an idempotency key.
  else if (attempt.mayHaveBeenApplied && attempt.method !== 'POST') {
    reason = appendHint(
      reason,
      'An earlier attempt may have been applied: check before you retry.',
    );
  }
  const why = whyNotRetried(problem !== null);
  if (why) reason = appendHint(reason, why);
  const Class = errorClasses[status] ?? (status >= 500 ? ServerError : TradepostError);
  return createError(Class, attempt, `failed with ${reason}`, {
    ...describeResponse(response, body),
    code,
    requestId,
    problem,
    retryAfter,
    mayHaveBeenApplied: mayBeDone || attempt.mayHaveBeenApplied,
  });
}

/** Reads a problem. A body counts as one if it has the two required fields, `code` and `detail`. */
function readProblem(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, detail } = body as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : null;
}

const maybeUnsupported = 'This call is an extension, which this service may not support';

/** Returns what to do about an error response without a problem. */
function getHint(status: number, extension: boolean, retryAfter: number | null): string {
  if (status === 401) return 'Check apiKey and baseUrl.';
  if (extension && (status === 404 || status === 405)) return `${maybeUnsupported}: check baseUrl.`;
  // Statuses with which the service itself rejects a request.
  if ([402, 409, 412, 413, 415, 422, 428].includes(status)) {
    return "The error's body has the whole response.";
  }
  if (status < 500 && ![408, 425, 429].includes(status)) {
    return 'Check that baseUrl is the address of the service.';
  }
  return `Try again ${retryAfter ? `in ${Math.ceil(retryAfter)} s` : 'later'}.`;
}

/** Appends a sentence to a text, after a full stop. */
function appendHint(text: string, sentence: string): string {
  const trimmed = text.trimEnd();
  return `${trimmed}${/[.!?]$/.test(trimmed) ? '' : '.'} ${sentence}`;
}

const maxLength = 200;

/**
 * Returns the start of a body for an error message: on one line, without control characters. A body that may
 * have a secret, as the registration of a webhook does, is not shown.
 */
export function truncate(text: string): string {
  if (/secret|whsec/i.test(text)) return '(not shown: may have a secret)';
  const line = text
    .slice(0, maxLength * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return text === '' ? 'an empty body' : 'a blank body';
  return line.length > maxLength || text.length > maxLength * 2
    ? `${line.slice(0, maxLength)}…`
    : line;
}
