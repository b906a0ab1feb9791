import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../test/helpers/loopback';
import { Inbox } from './inbox';

/** A delivery as it arrived, byte for byte. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** How a receiver responds to a complete request. */
export type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** Responds with a status, and a body if there is one. */
export function respond(
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Respond {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Responds in turn; the last one repeats. */
export function inTurn(...responds: Respond[]): Respond {
  return (response, request) => {
    const respond = responds.length > 1 ? responds.shift() : responds[0];
    respond?.(response, request);
  };
}

/** A real receiver of deliveries: a server on its own port that stops with the running test. */
export class Receiver {
  readonly #arrived = new Inbox<Received>();
  /** Its URL, without a path. */
  readonly origin: string;
  /** The number of requests so far. */
  count = 0;

  private constructor(origin: string) {
    this.origin = origin;
  }

  /** Starts a receiver; with a certificate it uses TLS. */
  static async open(respond: Respond, tls?: { cert: string; key: string }): Promise<Receiver> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    const port = await listenOnLoopback(server);
    const receiver = new Receiver(`${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      receiver.count += 1;
      receiver.#arrived.put({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      });
      respond(response, request);
    });
    onTestFinished(() => closeServer(server));
    return receiver;
  }

  /** Waits for the next request. */
  next(): Promise<Received> {
    return this.#arrived.next();
  }
}
