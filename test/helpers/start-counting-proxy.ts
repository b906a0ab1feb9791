import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { startHttpServer } from './loopback';

/** A proxy between a client and a server that counts what is really sent. */
export interface CountingProxy {
  /** Its base URL. */
  url: string;
  /** The number of requests by method and path: `PATCH /v1/orders/ord_…`. */
  counts: ReadonlyMap<string, number>;
}

/** Starts a proxy that forwards every request. It is closed when the test ends. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  const { url, close } = await startHttpServer((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const name = `${method} ${path}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const outgoing = request(`${target}${path}`, { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    // When a client is killed, close the other connection too.
    outgoing.on('error', () => response.destroy());
    response.on('error', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  onTestFinished(close);
  return { url, counts };
}
