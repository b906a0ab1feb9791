import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What stands between a client and a server, and sees what is really sent. */
export interface CountingProxy {
  /** Where it answers. */
  url: string;
  /** How often each was asked for: `PATCH /v1/orders/ord_…`. */
  counts: ReadonlyMap<string, number>;
}

/** Starts a proxy that passes everything on, and ends with the test. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    const what = `${method} ${url}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    const outgoing = request(`${target}${url}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    // A client that is killed hangs up, and so does this.
    outgoing.on('error', () => answer.destroy());
    answer.on('error', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts };
}
