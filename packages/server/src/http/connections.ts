import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerNames, idempotencyKeyLifetime, problemMediaType } from '@tradepost/contract/wire';
import type { Express, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { buildProblem, type ProblemInput, sendProblem } from './problems';
import { newRequestId, resolveRequestId } from './request-log';

/** How long a connection may be idle while a response is pending or being read, in milliseconds. Long polls take half of it. */
const inactivityTimeoutMs = 60_000;

const logIntervalMs = 10_000;

/** The timeouts of the HTTP server: 15 s for a request's headers, 30 s for the whole request. */
export const requestTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
} as const;

/**
 * Tracks all connections of an HTTP server. Node does not track those that it passes to `connect`, `upgrade` or `clientError`
 * handlers, and removes its `error` listener from them. Without another one, the next reset would end the process.
 */
export class Connections {
  readonly #open = new Set<Socket>();

  /** @param limit How many may be open at once. Further ones are closed when they are accepted. */
  constructor(server: Server, limit: number, log: Logger) {
    server.maxConnections = limit;
    server.timeout = inactivityTimeoutMs;
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    const logRejected = throttle((rejected) =>
      log.warn({ limit, rejected }, 'connections rejected: the limit is reached'),
    );
    server.on('drop', () => logRejected());
    server.once('listening', () => {
      // For example, a connection cannot be accepted without a free file descriptor.
      const logFailed = throttle<Error>((failed, err) =>
        log.error({ err, failed }, 'accepting connections failed'),
      );
      server.on('error', (error) => logFailed(error));
    });
  }

  /** Closes the connections on which nothing was ever received: Node's `closeIdleConnections` leaves them open. */
  closeUnused(): void {
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Destroys all open connections. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** Reports at most once in ten seconds, with a count, so that a flood of connections is not a flood of log lines. */
export function throttle<About = void>(report: (count: number, about: About) => void) {
  let count = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (about: About) => {
    count += 1;
    const now = performance.now();
    if (now - reportedAt < logIntervalMs) return;
    report(count, about);
    count = 0;
    reportedAt = now;
  };
}

const problemsByCode: Record<string, ProblemInput> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: 'The headers, including the request line, must not exceed 16,384 bytes.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail: 'The request did not arrive completely in time. Send it again.',
  },
};

const malformedRequest: ProblemInput = {
  code: 'malformed_request',
  detail: 'The request is not valid HTTP/1.1: its request line, method or a header is malformed.',
};

const tunnelRejected: ProblemInput = {
  code: 'method_not_allowed',
  detail: 'This service is not a proxy and does not support CONNECT.',
};

/** How long a client has to read a response that ends its connection, in milliseconds. */
const lingerMs = 1_000;

/** The headers of every response, besides its request ID. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  // Clients repeat a POST whose response was lost only if they know this.
  [headerNames.idempotency]: String(idempotencyKeyLifetime),
};

function renderProblem(input: ProblemInput, requestId: string, headers: string[]): string {
  const problem = buildProblem(input, requestId);
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${headerNames.requestId}: ${requestId}`,
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    ...headers,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * Responds with a problem where Node would respond without a body before Express is called: to requests that are not valid
 * HTTP, and to CONNECT. Expectations other than 100-continue are ignored.
 *
 * Node removes its own listeners from these sockets and does not close them. Each socket is destroyed after its client has had
 * a second to read the response. `Connections` handles their errors.
 */
export function handleClientErrors(
  server: Server,
  app: RequestListener,
  clock: Clock,
  log: Logger,
): void {
  const rejected = new WeakSet<Duplex>();

  function reject(
    socket: Duplex,
    problem: ProblemInput,
    requestId: string,
    headers: string[] = [],
  ): void {
    rejected.add(socket);
    log.info({ requestId, code: problem.code }, 'request rejected before routing');
    socket.end(renderProblem(problem, requestId, headers));
    // Unread data resets the connection when the socket closes, and the response may be lost.
    socket.resume();
    const cancel = clock.schedule(lingerMs, () => socket.destroy());
    socket.once('close', cancel);
  }

  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // The parser reports an error again for all data that still arrives.
    if (rejected.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    reject(socket, problemsByCode[error.code ?? ''] ?? malformedRequest, newRequestId());
  });
  // An empty Allow means that no method is allowed: the target of CONNECT is not a path of the API.
  server.on('connect', ({ headers }, socket) => {
    const own = headers[headerNames.requestId.toLowerCase()];
    reject(socket, tunnelRejected, resolveRequestId(own), ['Allow: ']);
  });
  server.on('checkExpectation', app);
}

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the path and query of a request target in any form. A server must accept whole URLs too, but Express would pass them
 * to a parser that throws for some. Source: RFC 9112, section 3.2.2.
 */
export function toOriginForm(target: string): string {
  const rest = target.replace(schemeAndAuthority, '');
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  // `*` and anything that is not an HTTP URL: there is no such path.
  return rest.startsWith('/') ? rest : `/${encodeURIComponent(rest)}`;
}

/** Passes requests on with their target in origin form. */
export function withOriginForm(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request;
    if (!url.startsWith('/')) request.url = toOriginForm(url);
    listener(request, response);
  };
}

/** Rejects requests without exactly one Host header. Source: RFC 9112, section 3.2. */
export const requireHostHeader: RequestHandler = ({ rawHeaders, httpVersion }, _res, next) => {
  let hosts = 0;
  // rawHeaders alternates names and values, and contains repeated headers.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1 && httpVersion === '1.1') {
    throw new DomainError(
      'malformed_request',
      `An HTTP/1.1 request must have exactly one Host header, but this one has ${hosts}.`,
    );
  }
  next();
};

/** A request that may have been rejected because there are too many. */
interface Rejectable {
  isRejected?: boolean;
}

/** Marks a request as rejected, which `throwIfRejected` reports to its client. */
export function markRejected(request: IncomingMessage & Rejectable): void {
  request.isRejected = true;
}

/** Responds with `overloaded` to requests that are marked as rejected. */
export const respondIfRejected: RequestHandler = (req: Request & Rejectable, res, next) => {
  if (!req.isRejected) return next();
  sendProblem(res, {
    code: 'overloaded',
    detail:
      'The service has more requests than it can handle in time. Nothing was changed. Wait for the time in Retry-After, then send the request again.',
  });
};

/** The options of `createServer` that set the classes of requests and responses. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Creates classes for the requests and responses of an HTTP server that serves only this Express application.
 *
 * Express changes the prototype of each request and response to `app.request` and `app.response`. That makes every later use
 * of the object slow, in Node too: it costs several times as much as all the rest of Express. Objects that are created with
 * these prototypes are left as they are.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class ApiRequest extends IncomingMessage implements Rejectable {
    isRejected = false;
  }
  class ApiResponse extends ServerResponse {
    /** Sends JSON like Express, without what this application does not use: entity tags, settings, other encodings. */
    json(body: unknown): this {
      const text = JSON.stringify(body);
      this.setHeader('Content-Type', 'application/json; charset=utf-8');
      this.setHeader('Content-Length', Buffer.byteLength(text));
      return this.end(text);
    }
  }
  Object.setPrototypeOf(ApiRequest.prototype, app.request);
  Object.setPrototypeOf(ApiResponse.prototype, app.response);
  app.request = ApiRequest.prototype as unknown as typeof app.request;
  app.response = ApiResponse.prototype as unknown as typeof app.response;
  return {
    IncomingMessage: ApiRequest,
    ServerResponse: ApiResponse as typeof ServerResponse<IncomingMessage>,
  };
}

/** Returns the headers that helmet sets. They are the same for every response, so they are computed once. */
function readSecurityHeaders(): Record<string, string> {
  const recorded = new ServerResponse({ method: 'GET' } as Request);
  helmet()({} as Request, recorded as Response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return recorded.getHeaders() as Record<string, string>;
}

/** Sets the headers that are the same for every response. */
export function setConstantHeaders(): RequestHandler {
  const headers = Object.entries({ ...readSecurityHeaders(), ...commonHeaders });
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
