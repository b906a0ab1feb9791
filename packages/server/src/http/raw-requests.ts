import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerNames, problemMediaType } from '@tradepost/contract/wire';
import type { Logger } from 'pino';
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

function endWith(
  socket: Duplex,
  trouble: Trouble,
  requestId: string,
  headers: string[] = [],
): void {
  const problem = problemOf(trouble, requestId);
  const body = JSON.stringify(problem);
  socket.end(
    [
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
    ].join('\r\n'),
  );
}

/**
 * Answers with a problem what Node would answer by itself, without a body, before Express ever sees it:
 * what is no HTTP, CONNECT, and expectations other than 100-continue, which are passed over.
 */
export function answerRawRequests(server: Server, app: RequestListener, log: Logger): void {
  function refuse(socket: Duplex, trouble: Trouble, requestId: string, headers?: string[]): void {
    log.info({ requestId, code: trouble.code }, 'refused what Express never saw');
    endWith(socket, trouble, requestId, headers);
  }

  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    refuse(socket, troubles[error.code ?? ''] ?? unreadable, newRequestId());
  });
  // An empty Allow says that no method is taken there: the target of CONNECT is no path of ours.
  server.on('connect', ({ headers }, socket) => {
    const own = headers[headerNames.requestId.toLowerCase()];
    refuse(socket, tunnel, keepOrMakeRequestId(own), ['Allow: ']);
  });
  server.on('checkExpectation', app);
}
