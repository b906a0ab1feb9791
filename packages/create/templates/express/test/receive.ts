import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { app } from '../src/app';

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

afterAll(() => new Promise((closed) => server.close(closed)));

/** Sends a request to the application and returns its response. */
export async function receive(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  return await fetch(`http://127.0.0.1:${port}${pathname}`, {
    method: request.method,
    headers: request.headers,
    body: await request.arrayBuffer(),
  });
}
