import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';

/** Forwards a request to another server, and its response to the client, with additional headers. */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  target: string,
  additionalHeaders: OutgoingHttpHeaders = {},
): void {
  const { method, headers, url } = incoming;
  const outgoing = request(new URL(url ?? '/', target), { method, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, { ...upstream.headers, ...additionalHeaders });
    upstream.pipe(response);
  });
  // When one connection is closed, close the other too.
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
