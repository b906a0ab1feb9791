import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Receiver } from './start-receiver';

/** An endpoint on loopback, plain http, that takes deliveries and answers none of them until it is told to. */
export interface HoldingReceiver extends Receiver {
  /** Acknowledges what it holds, and from now on everything at once. */
  release(): void;
}

/** Starts a receiver that hangs. */
export async function startHoldingReceiver(): Promise<HoldingReceiver> {
  const arrivals: Receiver['arrivals'] = [];
  const waiting = new Set<() => void>();
  const held: ServerResponse[] = [];
  let holding = true;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    arrivals.push({ headers: request.headers, body: Buffer.concat(chunks) });
    if (holding) held.push(response);
    else response.writeHead(204).end();
    for (const look of waiting) look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/deliveries`,
    arrivals,
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition(arrivals)) return;
          waiting.delete(look);
          resolve(arrivals);
        };
        waiting.add(look);
        look();
      }),
    release: () => {
      holding = false;
      for (const response of held.splice(0)) response.writeHead(204).end();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
