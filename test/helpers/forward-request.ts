import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Forwards a request to another server, and its response to the client. */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  target: string,
): void {
  const { method, headers, url } = incoming;
  const outgoing = request(new URL(url ?? '/', target), { method, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    upstream.pipe(response);
  });
  // When one connection is closed, close the other too.
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
