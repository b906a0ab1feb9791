import type { IncomingMessage } from 'node:http';
import { forwardRequest } from '../helpers/forward-request';
import { type LoopbackServer, startHttpServer } from '../helpers/loopback';

/**
 * Starts a gateway that adds CORS headers to a service, so that pages of other origins can call it. The
 * reference server sends none. Close it when the test ends.
 */
export function startCorsGateway(service: string): Promise<LoopbackServer> {
  return startHttpServer((request, response) => {
    const headers = corsHeaders(request);
    if (request.method === 'OPTIONS') response.writeHead(204, headers).end();
    else forwardRequest(request, response, service, headers);
  });
}

function corsHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-expose-headers': 'ETag, Idempotent-Replayed, Retry-After, X-Request-Id',
  };
}
