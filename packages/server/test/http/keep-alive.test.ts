import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, describe, expect, test } from 'vitest';
import { Connections, requestTimeouts } from '../../src/http/connections';
import { createLog } from '../../src/kernel/log';
import { startService } from './service';

const service = await startService();
const short = await startService({ keepAliveSeconds: 1 });
const long = await startService({ keepAliveSeconds: 400 });
afterAll(() => Promise.all([service.close(), short.close(), long.close()]));

describe('a connection that waits for its next request', () => {
  test.each([
    ['by default longer than proxies do', service, 75],
    ['a shorter time if that is set', short, 1],
    ['a longer time if that is set', long, 400],
  ])('is kept %s, which the response says', async (_what, { url }, seconds) => {
    for (const path of ['/livez', '/v1/orders', '/unknown']) {
      const response = await fetch(url + path);
      expect(response.headers.get('keep-alive')).toBe(`timeout=${seconds}`);
      // A connection with an unread body stays open.
      await response.arrayBuffer();
    }
  });

  test('is closed after that time', async () => {
    // The request does not ask for the end of the connection: only the server's timeout ends it.
    const received = await short.sendRaw('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received).not.toContain('408');
  });

  test('is kept for that time, though no other timeout is as long', async () => {
    const server = createServer(
      {
        ...requestTimeouts,
        headersTimeout: 20,
        requestTimeout: 20,
        connectionsCheckingInterval: 5,
      },
      (_request, response) => response.end('done'),
    );
    new Connections(server, 10, { log: createLog('silent'), clock: new FakeClock() });
    const timeouts: number[] = [];
    server.timeout = 30;
    server.on('connection', (socket) => {
      const { setTimeout } = socket;
      socket.setTimeout = (ms, callback) => {
        timeouts.push(ms);
        return setTimeout.call(socket, ms, callback);
      };
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.setEncoding('utf8').write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    for await (const text of socket) {
      expect(text).toContain('Keep-Alive: timeout=75');
      break;
    }
    server.close();
    server.closeAllConnections();
    // The last one that Node set: it holds between requests.
    expect(timeouts.at(-1)).toBeGreaterThanOrEqual(75_000);
  });
});

test('a stop closes a connection that waits for its next request at once', async () => {
  const stopping = await startService({ clock: new FakeClock() });
  const received = stopping.sendRaw('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await (await fetch(`${stopping.url}/livez`)).arrayBuffer();
  // The clock stands still, so that no timeout of the stop ends it.
  await stopping.close();
  expect(await received).not.toContain('HTTP/1.1 500');
});
