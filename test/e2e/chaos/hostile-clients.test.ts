import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';

/** Milliseconds: what is documented. A stop waits for five seconds; the rest is for a slow machine. */
const stopAtMost = 15_000;
/** Milliseconds: a silent connection is destroyed 15 s after it came, give or take what checks them; the rest is for a slow machine. */
const silentAtMost = 45_000;

async function start(args: readonly string[] = []): Promise<SeededServer> {
  const seeded = await startSeededServer(args);
  onTestFinished(seeded.close);
  return seeded;
}

/** Opens a connection and sends bytes on it; the other side may do with it what it wants. */
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

/** Waits until the other side has closed a connection, in whatever way. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.once('end', resolve).once('close', () => resolve());
    socket.resume();
  });
}

/** Fails unless the server is there and does its work. */
async function expectWell({ server, buyer }: SeededServer): Promise<void> {
  const client = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  expect((await client.orders.list()).data.length).toBeGreaterThan(0);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
}

/** How many connections are established on a local port, on its own side: what Linux tells. */
function connectionsOn(port: number): number {
  const own = port.toString(16).toUpperCase().padStart(4, '0');
  const established = new RegExp(`^ *\\d+: [0-9A-F]+:${own} [0-9A-F:]+ (01|08) `, 'gm');
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));
  if (tables.length === 0) throw new Error('This system does not say which connections there are.');
  return tables.flatMap((table) => readFileSync(table, 'utf8').match(established) ?? []).length;
}

/** Waits until the server has closed all connections of clients. */
async function expectNoConnections({ server }: SeededServer): Promise<void> {
  const port = Number(new URL(server.url).port);
  await vi.waitFor(() => expect(connectionsOn(port)).toBe(0), { timeout: silentAtMost });
}

/** What most tests attack: whoever comes next finds it well. */
let shared: SeededServer;

beforeAll(async () => {
  shared = await startSeededServer();
  return () => shared.close();
});

describe('the server process survives', () => {
  it('CONNECT followed by a reset, again and again', async () => {
    for (let count = 0; count < 60; count += 1) {
      const socket = await open(shared, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
      // Half of them before the response can have come, half of them after it.
      if (count % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    await expectWell(shared);
  }, 60_000);

  it('resets at any point of a request that is not HTTP, that is too long or that wants an upgrade', async () => {
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
    await expectWell(shared);
  }, 60_000);

  it('request targets that no URL parser takes, and responds to each with a problem', async () => {
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
    await expectWell(shared);
  }, 60_000);

  it('clients that read nothing of what they ask for', async () => {
    const request = `GET /v1/orders?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shared.seller.apiKey}\r\n\r\n`;
    for (let count = 0; count < 10; count += 1) (await open(shared, request.repeat(50))).pause();
    await expectWell(shared);
  }, 60_000);
});

// Elsewhere it cannot be seen so simply which connections there are.
describe.runIf(process.platform === 'linux')('the server closes', () => {
  it('connections that it rejects, though their clients neither read nor close', async () => {
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

  it('connections on which no request comes whole, with 408, within seconds', async () => {
    const began = performance.now();
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
    expect(performance.now() - began).toBeLessThan(silentAtMost);
    await expectWell(shared);
  }, 60_000);

  it('connections beyond its limit, and serves those that it has', async () => {
    const seeded = await start(['--max-connections', '20']);
    const first = await Promise.all(Array.from({ length: 20 }, () => open(seeded)));
    const beyond = await Promise.all(Array.from({ length: 20 }, () => open(seeded)));
    await Promise.all(beyond.map(untilClosed));
    const [one] = first;
    one?.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String(((await once(one as Socket, 'data')) as [Buffer])[0])).toContain('HTTP/1.1 200 ');
    for (const socket of first) socket.destroy();
    await expectNoConnections(seeded);
    await expectWell(seeded);
    await seeded.server.writes(/connections rejected: the limit is reached/, 'stderr');
  }, 60_000);
});

it('SIGTERM ends the process in time, whatever clients hold open', async () => {
  const held = {
    CONNECT: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    nothing: '',
    'half a request': 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{',
    'what is not HTTP': 'hello\r\n\r\n',
  };
  await Promise.all(
    Object.entries(held).map(async ([what, bytes]) => {
      const seeded = await start();
      await Promise.all(Array.from({ length: 10 }, () => open(seeded, bytes)));
      // A request of its own shows that what was sent before has arrived.
      await expectWell(seeded);
      const began = performance.now();
      const { code } = await seeded.server.stop('SIGTERM');
      expect(code, what).toBe(0);
      expect(performance.now() - began, what).toBeLessThan(stopAtMost);
    }),
  );
}, 60_000);
