import {
  extensions as extensionNames,
  headerNames,
  idempotencyKeyLifetime,
  pageLimit,
} from '@tradepost/contract/wire';
import type { Fetch } from '../../index';
import { checkRequest } from './check-request';
import { buildErrorResponse, createNetworkError, type Failures } from './failures';
import { findRoute, type NoRoute, type RouteMatch } from './find-route';
import type { HandlerRequest, MockResponse } from './handler';
import { IdempotencyStore } from './idempotency';
import type { AccountRecord, Market } from './market';
import { toMinimalResponse } from './minimal-service';
import { MockProblem, toProblemResponse } from './problem';
import { checkBodyFormat, type MockRequest, readRequest } from './request';

/** What the in-memory service is made of. */
export interface ServiceSettings {
  market: Market;
  failures: Failures;
  /** The URL that the paths of the service follow: any that a client takes. */
  baseUrl: string;
  /** Whether it has the extensions. */
  extensions: boolean;
  /** Gets each request. */
  requests: MockRequest[];
}

/** Creates the `fetch` of an in-memory service. It opens no sockets. */
export function createService(settings: ServiceSettings): Fetch {
  const { market, failures, requests, extensions } = settings;
  const base = new URL(settings.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  const idempotency = new IdempotencyStore(market.clock);

  /** @throws {MockProblem} when the request breaks a rule. */
  async function handle(
    request: MockRequest,
    match: RouteMatch | NoRoute,
    { body: text, signal }: Parameters<Fetch>[1],
  ): Promise<MockResponse> {
    if ('allowed' in match) throw createRouteProblem(request, match);
    const { operation, route, id } = match;
    const caller = authenticate(market, request);
    if (caller.readOnly && route.method !== 'GET') {
      throw new MockProblem(
        'read_only_api_key',
        'This API key is read-only. Use another key of the account to make changes.',
      );
    }
    if (route.body) checkBodyFormat(request, text);
    const { body } = request;
    // A service without extensions ignores what it does not know.
    const headers = extensions ? request.headers : {};
    const query = extensions ? request.query : pickStatus(request);
    const ifMatch = headers['if-match'];
    const key = headers['idempotency-key'];
    checkRequest(route, { query, ifMatch, idempotencyKey: key, body });
    const parsed: HandlerRequest = {
      caller,
      id,
      query: query as Record<string, string>,
      limit: extensions ? Number(query.limit ?? pageLimit.default) : Number.POSITIVE_INFINITY,
      ifMatch,
      body,
      signal,
    };
    route.require?.(parsed);
    if (route.method === 'POST' && key !== undefined) {
      const keyed = { accountId: caller.id, operation, key, id, body };
      // No POST waits.
      return idempotency.run(keyed, () => route.handle(market, parsed) as MockResponse);
    }
    const response = await route.handle(market, parsed);
    if (operation === 'webhooks.delete') idempotency.eraseWebhook(id);
    return response;
  }

  async function respond(
    request: MockRequest,
    match: RouteMatch | NoRoute,
    init: Parameters<Fetch>[1],
  ): Promise<MockResponse> {
    const requestId = resolveRequestId(market, request);
    const response = await handle(request, match, init).catch((error) => {
      if (error instanceof MockProblem) return toProblemResponse(error, requestId);
      throw error;
    });
    if (!extensions) return toMinimalResponse(response, request.operation);
    return { ...response, headers: { ...response.headers, ...commonHeaders(requestId) } };
  }

  function respondWithFailure(failure: Parameters<typeof buildErrorResponse>[0]): MockResponse {
    const requestId = market.clock.newId('req');
    const response = buildErrorResponse(failure, requestId);
    const common = extensions ? commonHeaders(requestId) : {};
    return { ...response, headers: { ...common, ...response.headers } };
  }

  return async (url, init) => {
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== base.origin || !pathname.startsWith(`${basePath}/`)) {
      throw new TypeError(`the mock is at ${base.origin}${basePath}, and has nothing at ${url}`);
    }
    const path = pathname.slice(basePath.length);
    const received = readRequest(path, searchParams, init);
    const match = findRoute(received, extensions);
    const operation = 'operation' in match ? match.operation : null;
    const request: MockRequest = { operation, ...received };
    requests.push(request);
    const { signal } = init;
    if (signal?.aborted) throw signal.reason;
    const failure = failures.take(operation);
    if (failure === 'connection' || failure === 'timeout') throw createNetworkError(failure);
    let response: MockResponse | undefined;
    if (failure === undefined || failure === 'lost_response' || failure.applied) {
      response = await respond(request, match, init);
      if (signal?.aborted) throw signal.reason;
      if (failure === 'lost_response') throw createNetworkError(failure);
    }
    response = failure === undefined ? response : respondWithFailure(failure);
    request.status = response?.status ?? null;
    return toFetchResponse(response as MockResponse, received.method);
  };
}

/** The only parameter of the API specification. */
function pickStatus({ operation, query }: MockRequest): MockRequest['query'] {
  const { status } = query;
  return operation === 'orders.list' && status !== undefined ? { status } : {};
}

function createRouteProblem({ method, path }: MockRequest, { allowed }: NoRoute): MockProblem {
  if (allowed.length > 0) {
    const allow = allowed.join(', ');
    const detail = `${path} does not support ${method}. Allowed: ${allow}.`;
    return new MockProblem('method_not_allowed', detail, undefined, { [headerNames.allow]: allow });
  }
  return new MockProblem(
    'route_not_found',
    `${path} does not exist. The mock has /v1/orders, /v1/notifications, /v1/webhooks, /v1/deliveries, /v1/events and /v1/account.`,
  );
}

/** @throws {MockProblem} `missing_api_key`, `invalid_api_key`. */
function authenticate({ accounts }: Market, { headers }: MockRequest): AccountRecord {
  const { authorization } = headers;
  if (authorization === undefined) {
    throw new MockProblem(
      'missing_api_key',
      'Send the API key with every request in the header Authorization: Bearer <API_KEY>.',
    );
  }
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (key === undefined) {
    throw new MockProblem(
      'invalid_api_key',
      'The Authorization header must have the form: Bearer <API_KEY>.',
    );
  }
  const found = accounts.find(({ apiKey }) => apiKey === key);
  if (found) return found;
  throw new MockProblem(
    'invalid_api_key',
    'Unknown API key. Check it for missing or changed characters.',
  );
}

/** The ID that a request has itself, if it is valid; otherwise a new one. */
function resolveRequestId({ clock }: Market, { headers }: MockRequest): string {
  const own = headers[headerNames.requestId.toLowerCase()] ?? '';
  return /^[A-Za-z0-9._-]{8,128}$/.test(own) ? own : clock.newId('req');
}

function commonHeaders(requestId: string): Record<string, string> {
  return {
    [headerNames.requestId]: requestId,
    [headerNames.extensions]: extensionNames.join(', '),
    [headerNames.idempotency]: String(idempotencyKeyLifetime),
  };
}

function toFetchResponse(
  { status, headers, body }: MockResponse,
  method: string,
): Awaited<ReturnType<Fetch>> {
  const isText = typeof body === 'string';
  // Serialized now: the data may be that of the store, and may change before it is read.
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body);
  const type = isText ? 'text/plain' : 'application/json; charset=utf-8';
  return {
    status,
    headers: new Headers(text === '' ? headers : { 'Content-Type': type, ...headers }),
    text: async () => (method === 'HEAD' ? '' : text),
  };
}
