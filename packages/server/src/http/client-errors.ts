import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerNames, problemMediaType } from '@tradepost/contract/wire';
import type { Logger } from 'pino';
import type { Clock } from '../clock';
import { problemOf, type Trouble } from './problems';
import { keepOrMakeRequestId, newRequestId } from './request-id';

const troubles: Record<string, Trouble> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: 'The headers may hold 16,384 bytes at most, the request line included.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail: 'The request did not arrive whole in time. Send it again.',
  },
};

const unreadable: Trouble = {
  code: 'malformed_request',
  detail:
    'The request is not valid HTTP/1.1: the request line, the method or a header cannot be read.',
};

const tunnel: Trouble = {
  code: 'method_not_allowed',
  detail: 'This service is no proxy and does not take CONNECT.',
};

/** How long a client has to read a response that ends its connection, in milliseconds. */
const lingerMs = 1_000;

function renderProblem(trouble: Trouble, requestId: string, headers: string[]): string {
  const problem = problemOf(trouble, requestId);
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${headerNames.requestId}: ${requestId}`,
    'Cache-Control: no-store',
    `Date: ${new Date().toUTCString()}`,
    ...headers,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * Responds with a problem where Node would respond by itself, without a body, before Express is called: to what is
 * not HTTP, to CONNECT, and to expectations other than 100-continue, which are ignored.
 *
 * Node takes its own listeners off the sockets that it hands over here, and closes none of them. Each is
 * destroyed once its client has had a second to read the response, whatever the client does; `Connections`
 * listens to its errors.
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
    trouble: Trouble,
    requestId: string,
    headers: string[] = [],
  ): void {
    rejected.add(socket);
    log.info({ requestId, code: trouble.code }, 'rejected before routing');
    socket.end(renderProblem(trouble, requestId, headers));
    // What is left unread when a socket closes resets the connection, and the response may be lost with it.
    socket.resume();
    const cancel = clock.after(lingerMs, () => socket.destroy());
    socket.once('close', cancel);
  }

  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // The parser reports again for everything that still arrives.
    if (rejected.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    reject(socket, troubles[error.code ?? ''] ?? unreadable, newRequestId());
  });
  // An empty Allow says that no method is taken there: the target of CONNECT is no path of ours.
  server.on('connect', ({ headers }, socket) => {
    const own = headers[headerNames.requestId.toLowerCase()];
    reject(socket, tunnel, keepOrMakeRequestId(own), ['Allow: ']);
  });
  server.on('checkExpectation', app);
}
