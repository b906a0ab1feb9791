import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerNames, problemMediaType } from '@tradepost/contract/wire';
import type { Clock } from '@tradepost/domain/kernel/context';
import { commonHeaders, type ProblemInput } from '@tradepost/domain/problems';
import type { Logger } from 'pino';
import { throttle } from '../kernel/throttle';
import type { LogSampler } from './log-sampler';
import { buildRedactedProblem } from './problems';
import { newRequestId, resolveRequestId, toPlainAddress } from './request-log';

/** How long a connection may be idle while a response is pending or being read, in milliseconds. Long polls take half of it. */
const inactivityTimeoutMs = 60_000;

/**
 * The timeouts of the HTTP server: 15 s for a request's headers, 30 s for the whole request, and 75 s for the next request of a
 * connection. The last is longer than that of common proxies (60 s in nginx and in load balancers of AWS): the side that sends
 * requests must close first, or it sends one while the other side closes. The others do not count between requests.
 */
export const requestTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2_000,
} as const;

/**
 * Tracks all connections of an HTTP server. Node does not track those that it passes to `connect`, `upgrade` or `clientError`
 * handlers, and removes its `error` listener from them. Without another one, the next reset would end the process.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  #count = 0;

  /** @param limit How many may be open at once. Further ones are closed when they are accepted. */
  constructor(server: Server, limit: number, { log, clock }: { log: Logger; clock: Clock }) {
    server.maxConnections = limit;
    server.timeout = inactivityTimeoutMs;
    const track = (socket: Socket) => {
      socket.on('error', () => {});
      this.#open.add(socket);
      // Node remembers the address from now on, for the log of requests whose connection is closed by then.
      void socket.remoteAddress;
      socket.once('close', () => this.#open.delete(socket));
    };
    server.on('connection', (socket) => {
      this.#count += 1;
      socket.once('close', () => {
        this.#count -= 1;
      });
      track(socket);
    });
    // With TLS, the connection that has the requests is another object, which exists after the handshake.
    server.on('secureConnection', track);
    const logRejected = throttle(clock, (rejected) =>
      log.warn({ limit, rejected }, 'connections rejected: the limit is reached'),
    );
    server.on('drop', () => logRejected());
    server.once('listening', () => {
      // For example, a connection cannot be accepted without a free file descriptor.
      const logFailed = throttle<Error>(clock, (failed, err) =>
        log.error({ err, failed }, 'accepting connections failed'),
      );
      server.on('error', (error) => logFailed(error));
    });
  }

  /** The number of open connections. */
  get count(): number {
    return this.#count;
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

const problemsByCode: Record<string, ProblemInput> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: 'The headers, including the request line, must not exceed 16,384 bytes and 100 lines.',
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

function renderProblem(input: ProblemInput, requestId: string, headers: string[]): string {
  const problem = buildRedactedProblem(input, requestId);
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

/** What the handling of client errors needs. */
export interface ClientErrorOptions {
  /** Handles requests with expectations other than 100-continue, which are ignored. */
  listener: RequestListener;
  clock: Clock;
  log: Logger;
  /** Decides which of these requests are logged. */
  sampler: LogSampler;
  /** Called with the code of each response. */
  onRejected: (code: string) => void;
}

/** Returns the response that Node is sending on a connection, if there is one. It has no public property for that. */
export function getResponseInProgress(socket: Duplex): ServerResponse | null {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return response && !response.writableFinished ? response : null;
}

/**
 * Responds with a problem where Node would respond without a body before Express is called: to requests that are not valid
 * HTTP, and to CONNECT. A response that is in progress is completed first: its request was valid, and may have changed something.
 *
 * Node removes its own listeners from these sockets and does not close them. Each socket is destroyed after its client has had
 * a second to read the response. `Connections` handles their errors.
 */
export function handleClientErrors(server: Server, options: ClientErrorOptions): void {
  const { listener, clock, log, sampler, onRejected } = options;
  const rejected = new WeakSet<Duplex>();

  function reject(
    socket: Duplex,
    problem: ProblemInput,
    requestId: string,
    headers: string[] = [],
  ): void {
    onRejected(problem.code);
    const { status } = buildRedactedProblem(problem, requestId);
    if (sampler.take(status)) {
      const clientAddress = toPlainAddress((socket as Socket).remoteAddress);
      const line = { requestId, clientAddress, code: problem.code, status };
      log.info(line, 'request rejected before routing');
    }
    socket.end(renderProblem(problem, requestId, headers));
    // Unread data resets the connection when the socket closes, and the response may be lost.
    socket.resume();
    const cancel = clock.schedule(lingerMs, () => socket.destroy());
    socket.once('close', cancel);
  }

  function rejectAfterResponses(socket: Duplex, problem: ProblemInput): void {
    const response = getResponseInProgress(socket);
    if (response) response.once('finish', () => rejectAfterResponses(socket, problem));
    else if (socket.writable) reject(socket, problem, newRequestId());
  }

  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // The parser reports an error again for all data that still arrives.
    if (rejected.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    rejected.add(socket);
    rejectAfterResponses(socket, problemsByCode[error.code ?? ''] ?? malformedRequest);
  });
  // An empty Allow means that no method is allowed: the target of CONNECT is not a path of the API.
  server.on('connect', ({ headers }, socket) => {
    rejected.add(socket);
    const own = headers[headerNames.requestId.toLowerCase()];
    reject(socket, tunnelRejected, resolveRequestId(own), ['Allow: ']);
  });
  server.on('checkExpectation', listener);
}
