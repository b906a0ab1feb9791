import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';

/** The documented five seconds, in milliseconds, and time for a slow machine. */
const stopTimeoutMs = 15_000;
/** A silent connection is destroyed about 15 s after it was opened. In milliseconds, with time for a slow machine. */
const silentTimeoutMs = 45_000;

async function start(args: readonly string[] = []): Promise<SeededServer> {
  return await forTest(startSeededServer(args));
}

/** Opens a connection and sends bytes. Ignores errors. */
async function open({ server }: SeededServer, bytes = ''): Promise<Socket> {
  const socket = connect({ port: Number(new URL(server.url).port), allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return socket;
}

/** Waits until the other side has closed a connection, with or without an error. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    // The end may have arrived while the test awaited something else.
    if (socket.readableEnded || socket.closed) resolve();
    socket.once('end', resolve).once('close', () => resolve());
    socket.resume();
  });
}

/** Expects the server to run and to serve requests. */
async function expectHealthy({ server, buyer }: SeededServer): Promise<void> {
  const client = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  expect((await client.orders.list()).data.length).toBeGreaterThan(0);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
}

/** Counts the established connections of a local port, from the server's side. Linux only. */
function countConnections(port: number): number {
  const own = port.toString(16).toUpperCase().padStart(4, '0');
  const established = new RegExp(`^ *\\d+: [0-9A-F]+:${own} [0-9A-F:]+ (01|08) `, 'gm');
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));
  if (tables.length === 0) throw new Error('This system does not list connections in /proc/net.');
  return tables.flatMap((table) => readFileSync(table, 'utf8').match(established) ?? []).length;
}

/** Waits until the server has closed all connections of clients. */
async function expectNoConnections({ server }: SeededServer): Promise<void> {
  const port = Number(new URL(server.url).port);
  await vi.waitFor(() => expect(countConnections(port)).toBe(0), { timeout: silentTimeoutMs });
}

/** The server that most tests attack. Each test leaves it healthy. */
let shared: SeededServer;

beforeAll(async () => {
  // The connections of the tests' own clients are counted, too.
  shared = await startSeededServer(['--keep-alive', '5']);
  return () => shared.close();
});

describe('the server process survives', () => {
  it('repeated CONNECT requests followed by a reset', async () => {
    for (let count = 0; count < 60; count += 1) {
      const socket = await open(shared, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
      // Half of them before the response can have arrived, half of them after it.
      if (count % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    await expectHealthy(shared);
  }, 60_000);

  it('resets at any point of a request that is not HTTP, is too long or requests an upgrade', async () => {
    const requests = [
      'BREW / HTTP/1.1\r\nHost: x\r\n\r\n',
      'hello\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      'GET /v1/orders HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST /v1/orders HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{',
    ];
    for (const request of requests) {
      for (const kept of [1, request.length >> 1, request.length]) {
        const early = await open(shared, request.slice(0, kept));
        early.resetAndDestroy();
        const late = await open(shared, request.slice(0, kept));
        late.write('\r\n\r\nGET / HTTP/1.1\r\n\r\n', () => late.resetAndDestroy());
        await once(late, 'close');
      }
    }
    await expectHealthy(shared);
  }, 60_000);

  it('request targets that no URL parser accepts, and responds to each with a problem', async () => {
    const targets = [
      'http://]-/',
      'http://b[*~$/',
      'http://a:b:c/v1/orders',
      'http://',
      '*',
      '//',
      '/%',
    ];
    for (const target of targets) {
      const socket = await open(
        shared,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString(), target).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(chunk.toString(), target).toMatch(/^content-type: application\/problem\+json/im);
    }
    await expectHealthy(shared);
  }, 60_000);

  it('clients that never read their responses', async () => {
    const request = `GET /v1/orders?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shared.seller.apiKey}\r\n\r\n`;
    for (let count = 0; count < 10; count += 1) (await open(shared, request.repeat(50))).pause();
    await expectHealthy(shared);
  }, 60_000);
});

// Listing connections needs Linux.
describe.runIf(process.platform === 'linux')('the server closes', () => {
  it('connections that it rejects, even if their clients neither read nor close', async () => {
    const rejected = [
      'hello\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    ];
    const sockets = await Promise.all(
      Array.from({ length: 60 }, (_, index) => open(shared, rejected[index % rejected.length])),
    );
    await Promise.all(sockets.map(untilClosed));
    await expectNoConnections(shared);
  }, 60_000);

  it('connections without a complete request, with 408, within seconds', async () => {
    const startedAt = performance.now();
    const silent = await Promise.all(Array.from({ length: 50 }, () => open(shared)));
    const slow = await Promise.all(
      Array.from({ length: 50 }, () => open(shared, 'GET /v1/orders HTTP/1.1\r\nHost: x\r\n')),
    );
    const responses = slow.map(async (socket) =>
      String(((await once(socket, 'data')) as [Buffer])[0]),
    );
    for (const response of await Promise.all(responses)) {
      expect(response).toContain('HTTP/1.1 408 ');
      expect(response).toContain('"code":"request_timeout"');
    }
    for (const socket of [...silent, ...slow]) socket.resume();
    await expectNoConnections(shared);
    expect(performance.now() - startedAt).toBeLessThan(silentTimeoutMs);
    await expectHealthy(shared);
  }, 60_000);

  it('connections beyond its limit, and serves those that it has', async () => {
    const seeded = await start(['--max-connections', '20']);
    const first = await Promise.all(Array.from({ length: 20 }, () => open(seeded)));
    const beyond = await Promise.all(Array.from({ length: 20 }, () => open(seeded)));
    await Promise.all(beyond.map(untilClosed));
    const [socket] = first;
    socket?.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String(((await once(socket as Socket, 'data')) as [Buffer])[0])).toContain(
      'HTTP/1.1 200 ',
    );
    for (const open of first) open.destroy();
    await expectNoConnections(seeded);
    await expectHealthy(seeded);
    await seeded.server.writes(/connections rejected: the limit is reached/, 'stderr');
  }, 60_000);
});

it('the server stops in time on SIGTERM, whatever connections clients keep open', async () => {
  const requests = {
    CONNECT: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    nothing: '',
    'half a request': 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{',
    'what is not HTTP': 'hello\r\n\r\n',
  };
  await Promise.all(
    Object.entries(requests).map(async ([name, bytes]) => {
      const seeded = await start();
      await Promise.all(Array.from({ length: 10 }, () => open(seeded, bytes)));
      // The response to another request shows that what was sent before has arrived.
      await expectHealthy(seeded);
      const startedAt = performance.now();
      const { code } = await seeded.server.stop('SIGTERM');
      expect(code, name).toBe(0);
      expect(performance.now() - startedAt, name).toBeLessThan(stopTimeoutMs);
    }),
  );
}, 60_000);
