import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Inbox } from './inbox';

/** A delivery as it arrived, byte for byte. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What a receiver does with a request once it has arrived whole. */
export type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with a status, and a body if there is one to give. */
export function respond(
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Respond {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Answers in turn, and for ever as the last one does. */
export function inTurn(...responds: Respond[]): Respond {
  return (response, request) => {
    const respond = responds.length > 1 ? responds.shift() : responds[0];
    respond?.(response, request);
  };
}

/** A real receiver of deliveries: a server on a port of its own that lasts as long as the running test. */
export class Receiver {
  readonly #arrived = new Inbox<Received>();
  /** Where it listens, without a path. */
  readonly origin: string;
  /** How many requests arrived in all. */
  count = 0;

  private constructor(origin: string) {
    this.origin = origin;
  }

  /** Opens one; with a certificate it speaks TLS. */
  static async open(respond: Respond, tls?: { cert: string; key: string }): Promise<Receiver> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
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
    onTestFinished(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return receiver;
  }

  /** The next request that was not taken yet, once it has arrived. */
  next(): Promise<Received> {
    return this.#arrived.next();
  }
}
