import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A delivery as it arrived. */
export interface Arrival {
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: Buffer;
}

/** A real HTTPS endpoint on loopback that keeps what it is sent. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Waits until what has arrived satisfies a condition, now or later. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]>;
  close(): Promise<void>;
}

/**
 * Starts a receiver with a certificate of its own making.
 *
 * @param answer The status to answer an arrival with, by its number from 1; 204 unless told.
 */
export async function startReceiver(
  answer: (number: number) => number = () => 204,
): Promise<Receiver> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const arrivals: Arrival[] = [];
  const waiting = new Set<() => void>();
  const server = createServer({ key, cert }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    arrivals.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(answer(arrivals.length)).end();
    for (const look of waiting) look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/deliveries`,
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
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
