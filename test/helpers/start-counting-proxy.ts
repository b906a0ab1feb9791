import { onTestFinished } from 'vitest';
import { forwardRequest } from './forward-request';
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
    const name = `${incoming.method} ${incoming.url}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    forwardRequest(incoming, response, target);
  });
  onTestFinished(close);
  return { url, counts };
}
