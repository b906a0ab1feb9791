import { Agent, type IncomingMessage, request } from 'node:http';

/** The response to a request. */
export interface Received {
  status: number;
  body: string;
}

/** A request to send. */
export interface Outgoing {
  headers: Record<string, string>;
  body: Uint8Array;
  /** Leaves out `Content-Length`, so that the size is unknown until the end. */
  isChunked?: boolean;
}

/** A sender that waits for a response before its next request, and uses the same connection if it stays open. */
export interface Sender {
  send(outgoing: Outgoing): Promise<Received>;
  close(): void;
}

/**
 * Milliseconds that a sender waits for the connection and the response. Node closes an idle connection after five seconds; a
 * connection that is usable again only then is blocked, not idle.
 */
const maxWait = 4_000;

/**
 * For errors of a connection after the response: the server may close it while the body is still being written. Node then
 * removes its own listener, and an error without a listener would end the process.
 */
const ignore = () => undefined;

/** Creates a sender of POST requests to a path of a port. */
export function createSender(port: number, path: string): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: ({ headers, body, isChunked = false }) =>
      new Promise((resolve, reject) => {
        const length = isChunked
          ? { 'Transfer-Encoding': 'chunked' }
          : { 'Content-Length': body.length };
        const outgoing = request({
          agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: { ...headers, ...length },
          signal: AbortSignal.timeout(maxWait),
        });
        outgoing.on('error', reject);
        outgoing.on('socket', (socket) => socket.off('error', ignore).on('error', ignore));
        outgoing.on('response', (incoming: IncomingMessage) => {
          incoming.toArray().then((pieces) => {
            resolve({ status: incoming.statusCode ?? 0, body: pieces.join('') });
          }, reject);
        });
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}
