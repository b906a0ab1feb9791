import { headerNames, pageLimit } from '@tradepost/contract/wire';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { requestIdPattern } from '@tradepost/domain/problems';
import { findRoute, type MatchedRoute, type Service } from '@tradepost/domain/service';
import type { Fetch } from '@tradepost/sdk';
import type { MockClock } from './clock';
import { buildErrorResponse, createNetworkError, type Failures } from './failures';
import { toOperation } from './operations';
import type { RateLimit } from './rate-limit';
import { checkBodyFormat, type MockRequest, readRequest } from './request';
import {
  everyHeader,
  type MockResponse,
  mergeHeaders,
  toMinimalResponse,
  toProblemResponse,
} from './responses';

/** What the `fetch` of a mock is made of. */
export interface FetchSettings {
  service: Service;
  clock: MockClock;
  failures: Failures;
  /** The URL that the paths of the service follow: any that a client takes. */
  baseUrl: string;
  /** Whether it has the extensions. */
  extensions: boolean;
  rateLimit: RateLimit | undefined;
  /** Gets each request. */
  requests: MockRequest[];
}

/** Creates the `fetch` of a service in memory. It opens no sockets. */
export function createFetch(settings: FetchSettings): Fetch {
  const { service, clock, failures, requests, extensions, rateLimit } = settings;
  const base = new URL(settings.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');

  /** Finds the route of a request, or why there is none. */
  function match({ method, path }: Omit<MockRequest, 'operation'>): MatchedRoute | DomainError {
    try {
      return findRoute(method, path, ({ extension }) => extensions || !extension);
    } catch (error) {
      return error as DomainError;
    }
  }

  async function handle(
    request: MockRequest,
    matched: MatchedRoute | DomainError,
    { body: text, signal = new AbortController().signal }: Parameters<Fetch>[1],
    admit: (keyId: string) => void,
  ): Promise<MockResponse> {
    if (matched instanceof DomainError) throw matched;
    const checkBody = () => checkBodyFormat(request, text);
    if (extensions) return service.handle(matched, { ...request, signal, admit }, checkBody);
    // A service without extensions ignores what it does not know, and has no pages.
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const headers = { ...(authorization && { authorization }), 'content-type': type };
    const { status } = request.query;
    const isList = matched.name === 'list';
    const query = {
      ...(status !== undefined && matched.noun === 'orders' && isList && { status }),
      ...(isList && { limit: String(pageLimit.max) }),
    };
    const read = (cursor?: string) =>
      service.handle(
        matched,
        {
          ...request,
          headers,
          query: { ...query, ...(cursor && { cursor }) },
          signal,
          // The pages are those of one request.
          admit: cursor === undefined ? admit : undefined,
        },
        checkBody,
      );
    const response = await read();
    const body = response.body as { data: unknown[]; nextCursor?: string | null };
    while (isList && body.nextCursor) {
      const next = (await read(body.nextCursor)).body as typeof body;
      body.data.push(...next.data);
      body.nextCursor = next.nextCursor ?? null;
    }
    return response;
  }

  async function respond(
    request: MockRequest,
    matched: MatchedRoute | DomainError,
    init: Parameters<Fetch>[1],
  ): Promise<MockResponse> {
    const own = request.headers[headerNames.requestId.toLowerCase()] ?? '';
    const requestId = requestIdPattern.test(own) ? own : clock.newId('req');
    let limitHeaders: Record<string, string> = {};
    const admit = (keyId: string) => {
      const counted = rateLimit?.count(keyId);
      limitHeaders = counted?.headers ?? {};
      if (counted?.error) throw counted.error;
    };
    const response = await handle(request, matched, init, admit).catch((error) => {
      if (error instanceof DomainError) return toProblemResponse(error, requestId);
      throw error;
    });
    if (!extensions) return toMinimalResponse(response, request.operation);
    const headers = mergeHeaders(response.headers, limitHeaders, everyHeader(requestId));
    return { ...response, headers };
  }

  function respondWithFailure(failure: Parameters<typeof buildErrorResponse>[0]): MockResponse {
    const requestId = clock.newId('req');
    const response = buildErrorResponse(failure, requestId);
    const common = extensions ? everyHeader(requestId) : {};
    return { ...response, headers: mergeHeaders(common, response.headers) };
  }

  return async (url, init) => {
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== base.origin || !pathname.startsWith(`${basePath}/`)) {
      throw new TypeError(`the mock is at ${base.origin}${basePath}, and has nothing at ${url}`);
    }
    const received = readRequest(pathname.slice(basePath.length), searchParams, init);
    const matched = match(received);
    const operation = matched instanceof DomainError ? null : toOperation(matched);
    const request: MockRequest = { operation, ...received };
    requests.push(request);
    const { signal } = init;
    if (signal?.aborted) throw signal.reason;
    const failure = failures.take(operation);
    if (failure === 'hang') return hang(signal);
    if (failure === 'connection' || failure === 'timeout') throw createNetworkError(failure);
    let response: MockResponse | undefined;
    if (failure === undefined || failure === 'lost_response' || failure.applied) {
      response = await respond(request, matched, init);
      if (signal?.aborted) throw signal.reason;
      if (failure === 'lost_response') throw createNetworkError(failure);
    }
    response = failure === undefined ? response : respondWithFailure(failure);
    request.status = response?.status ?? null;
    return toFetchResponse(response as MockResponse, received.method);
  };
}

/** Waits until the request is aborted, by its timeout or its caller, and rejects as `fetch` does then. */
function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function toFetchResponse(
  { status, headers, body }: MockResponse,
  method: string,
): Awaited<ReturnType<Fetch>> {
  const isText = typeof body === 'string';
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body);
  const type = isText ? 'text/plain' : 'application/json; charset=utf-8';
  return {
    status,
    headers: new Headers(text === '' ? headers : mergeHeaders({ 'Content-Type': type }, headers)),
    text: async () => (method === 'HEAD' ? '' : text),
  };
}
