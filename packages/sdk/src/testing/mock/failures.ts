import { headerNames, problems } from '@tradepost/contract/wire';
import { DomainError } from '@tradepost/domain/kernel/errors';
import type { Other, ProblemCode, ProblemIssue } from '@tradepost/sdk';
import type { OptionNames } from '../../option-names';
import { type MockOperation, operations } from './operations';
import { requireKnown } from './require-known';
import { type MockResponse, mergeHeaders, toProblemResponse } from './responses';

/** A response with which a request fails. */
export interface MockErrorResponse {
  /** HTTP status. @default the status of `code` */
  status?: number | undefined;
  /**
   * The problem code. By default, that of the service for 400, 401, 403, 410, 412, 413, 415, 422, 429, 500 and 503. For any
   * other status, the body is a text, as that of a proxy.
   */
  code?: ProblemCode | Other | undefined;
  /** What failed: the `detail` of the problem. */
  detail?: string | undefined;
  /** The invalid fields of the problem. */
  errors?: readonly ProblemIssue[] | undefined;
  /** Seconds, for the header `Retry-After`. */
  retryAfter?: number | undefined;
  /** More headers. */
  headers?: Record<string, string> | undefined;
  /** The body instead of a problem, such as the page of a proxy: a text, or a JSON value. */
  body?: unknown;
  /** Whether the request is carried out nevertheless. @default false */
  applied?: boolean | undefined;
}

/**
 * How a request fails:
 *
 * - `connection`: connection refused, so it is certainly not sent
 * - `timeout`: there is no response in time, without a real wait; nothing was changed
 * - `hang`: there is no response until the client gives up, by its `timeout`, its `deadline` or a `signal`; nothing was changed
 * - `lost_response`: the request is carried out, and the connection breaks before the response
 * - an object: the response, which usually means that nothing was changed
 */
export type MockFailure = 'connection' | 'timeout' | 'hang' | 'lost_response' | MockErrorResponse;

/** Options of `fail`. */
export interface MockFailOptions {
  /** How many requests fail. `Infinity`: all. A call with retries sends several. @default 1 */
  times?: number | undefined;
}

interface PlannedFailure {
  operation: MockOperation | '*';
  failure: MockFailure;
  remaining: number;
}

/** The failures that a test has ordered. */
export class Failures {
  #planned: PlannedFailure[] = [];

  /**
   * Plans a failure. Returns the function that cancels it.
   *
   * @throws {TypeError} when an argument is not valid.
   */
  add(
    operation: MockOperation | '*',
    failure: MockFailure,
    options: MockFailOptions = {},
  ): () => void {
    requireKnown('fail', options, { times: true });
    const { times = 1 } = options;
    if (operation !== '*' && !operations.includes(operation)) {
      const known = operations.join(', ');
      throw new TypeError(
        `fail: there is no operation ${JSON.stringify(operation)}. Operations: *, ${known}.`,
      );
    }
    checkFailure(failure);
    if (!(times >= 1)) throw new TypeError(`fail: times must be at least 1 (got ${times}).`);
    const planned = { operation, failure, remaining: times };
    this.#planned.push(planned);
    return () => {
      this.#planned = this.#planned.filter((other) => other !== planned);
    };
  }

  /** Returns the failure of a request, the oldest first; undefined when it does not fail. */
  take(operation: MockOperation | null): MockFailure | undefined {
    const planned = this.#planned.find(
      (candidate) => candidate.operation === '*' || candidate.operation === operation,
    );
    if (!planned) return undefined;
    planned.remaining -= 1;
    if (planned.remaining <= 0) this.#planned = this.#planned.filter((other) => other !== planned);
    return planned.failure;
  }
}

const failureNames: OptionNames<MockErrorResponse> = {
  status: true,
  code: true,
  detail: true,
  errors: true,
  retryAfter: true,
  headers: true,
  body: true,
  applied: true,
};

function checkFailure(failure: MockFailure): void {
  if (typeof failure === 'string') {
    if (['connection', 'timeout', 'hang', 'lost_response'].includes(failure)) return;
    throw new TypeError(
      `fail: a failure is connection, timeout, hang, lost_response or an object with a status or a code (got ${JSON.stringify(failure)}).`,
    );
  }
  requireKnown('fail', failure, failureNames);
  const { code, status = getStatus(code) } = failure;
  if (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599) return;
  throw new TypeError(
    `fail: the failure needs a status from 200 to 599, or the code of a problem such as rate_limited (got ${JSON.stringify(failure)}).`,
  );
}

function getStatus(code: string | undefined): number | undefined {
  return problems[code as ProblemCode]?.status;
}

/** The problem codes of statuses that have one code, or one that fits every request. */
const defaultCodes: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed_request',
  401: 'invalid_api_key',
  403: 'account_kind_not_allowed',
  410: 'cursor_expired',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'store_unavailable',
};

/** Builds the response of a failure. Without a problem code for its status, its body is a text, as that of a proxy. */
export function buildErrorResponse(failure: MockErrorResponse, requestId: string): MockResponse {
  const { detail = 'The test makes this request fail.', errors, retryAfter } = failure;
  const status = failure.status ?? getStatus(failure.code) ?? 500;
  const headers = {
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...failure.headers,
  };
  if (failure.body !== undefined) return { status, headers, body: failure.body };
  const code = failure.code ?? defaultCodes[status];
  if (code === undefined) return { status, headers, body: `The mock responds with ${status}.` };
  const isKnown = Object.hasOwn(problems, code);
  const problem = new DomainError(
    isKnown ? (code as ProblemCode) : 'internal_error',
    detail,
    errors && [...errors],
  );
  const response = toProblemResponse(problem, requestId);
  const known = response.body as object;
  const own = isKnown ? {} : { type: `urn:tradepost:problem:${code}`, title: detail, code };
  // Without a default for `Retry-After`, which would decide when the client tries again.
  const { [headerNames.retryAfter]: _, ...defaults } = response.headers ?? {};
  return {
    status,
    headers: mergeHeaders(defaults, headers),
    body: { ...known, ...own, status },
  };
}

/** An error as `fetch` of Node rejects with it. */
export function createNetworkError(failure: 'connection' | 'timeout' | 'lost_response'): Error {
  if (failure === 'timeout') {
    return Object.assign(new Error('the mock lets this request time out'), {
      name: 'TimeoutError',
    });
  }
  const cause =
    failure === 'connection'
      ? Object.assign(new Error('connection refused by the mock'), {
          code: 'ECONNREFUSED',
          syscall: 'connect',
        })
      : Object.assign(new Error('the mock closed the connection before the response'), {
          code: 'ECONNRESET',
        });
  return new TypeError('fetch failed', { cause });
}
