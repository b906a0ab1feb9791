import type { Server } from 'node:http';
import { headerNames, problemMediaType } from '@tradepost/contract';
import { problemOf, type Trouble } from './problems';
import { newRequestId } from './request-id';

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

/** Answers requests that are no HTTP, which Express never sees, with a problem like all others. */
export function answerParserErrors(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    const problem = problemOf(troubles[error.code ?? ''] ?? unreadable, requestId);
    const body = JSON.stringify(problem);
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${problem.title}`,
        `Content-Type: ${problemMediaType}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `${headerNames.requestId}: ${requestId}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
}
