import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { Health } from '../../src/http/health';
import type { Metrics } from '../../src/metrics/metrics-server';
import { serveMetrics } from '../../src/metrics/metrics-server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { CapturedLog } from '../helpers/captured-log';
import { expectNoSockets } from '../helpers/leaks';

const { log } = new CapturedLog();
const store = openSqliteStore(':memory:');
afterAll(() => store.close());
const health = new Health({ store });

async function open(...metrics: Metrics[]): Promise<string> {
  onTestFinished(expectNoSockets);
  const server = await serveMetrics({ port: 0, host: '127.0.0.1', metrics, health, log });
  onTestFinished(() => server.stop());
  return server.url;
}

/** Sends a request on an open connection, and returns the bytes of its response. */
async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [response] = (await once(socket, 'data')) as [Buffer];
  return String(response);
}

function saying(text: string): Metrics {
  return { read: async () => text };
}

async function request(url: string, method = 'GET') {
  const response = await fetch(url, { method, headers: { connection: 'close' } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the metrics server', () => {
  test('returns all metrics in the text format of Prometheus', async () => {
    const url = await open(saying('one 1\n'), saying(''), saying('other 2\n'));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    for (const address of [url, `${url}?name=one`]) {
      const { status, headers, text } = await request(address);
      expect([status, text]).toEqual([200, 'one 1\nother 2\n']);
      expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    }
  });

  test('returns 404 for other paths', async () => {
    const url = await open(saying('one 1\n'));
    for (const path of ['/', '/metrics/', '/v1/orders', '/Metrics']) {
      const { status, text } = await request(new URL(path, url).href);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain('one 1');
    }
  });

  test('accepts only GET and HEAD', async () => {
    const url = await open(saying('one 1\n'));
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await request(url, method);
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
    expect(await request(url, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test('returns 503 when a part cannot be read, and recovers', async () => {
    let broken = true;
    const url = await open(saying('one 1\n'), {
      read: async () => {
        if (broken) throw new Error('out of order');
        return 'other 2\n';
      },
    });
    const { status, headers, text } = await request(url);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(text).not.toContain('out of order');
    broken = false;
    expect(await request(url)).toMatchObject({ status: 200, text: 'one 1\nother 2\n' });
  });

  test('reads the metrics once for all requests that wait, and at most ten times a second', async () => {
    let reads = 0;
    const clock = new FakeClock();
    const counting: Metrics = {
      read: async () => {
        reads += 1;
        return `reads ${reads}\n`;
      },
    };
    const server = await serveMetrics({
      ...{ port: 0, host: '127.0.0.1', metrics: [counting], health, log, clock },
    });
    onTestFinished(() => server.stop());
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        // The first response shows that the connection was accepted.
        await ask(socket, '/livez');
        return socket;
      }),
    );
    const [first, ...others] = sockets as [Socket, ...Socket[]];
    expect(await ask(first, '/metrics')).toContain('reads 1');
    const waiting = others.map((socket) => ask(socket, '/metrics'));
    // Responses that were requested later show that the requests have arrived.
    await ask(first, '/livez');
    await ask(first, '/livez');
    await clock.advance(99);
    expect(reads).toBe(1);
    await clock.advance(1);
    for (const response of await Promise.all(waiting)) expect(response).toContain('reads 2');
  });

  test('closes a connection with many requests that wait', async () => {
    const url = await open({ read: () => new Promise(() => {}) });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
    await once(socket, 'close');
    expect((await request(new URL('/livez', url).href)).status).toBe(200);
  });

  test.each(['tradepost.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
    'rejects the host %s on an address of this machine',
    async (host) => {
      const url = await open(saying('one 1\n'));
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.end(`GET /metrics HTTP/1.1\r\nHost: ${host}:80\r\nConnection: close\r\n\r\n`);
      const [response] = (await once(socket, 'data')) as [Buffer];
      expect(String(response)).toMatch(/^HTTP\/1.1 421 /);
      expect(String(response)).not.toContain('one 1');
    },
  );

  test('checks the host on the IPv6 address of this machine, too', async () => {
    onTestFinished(expectNoSockets);
    const metrics = [saying('one 1\n')];
    const server = await serveMetrics({ port: 0, host: '::1', metrics, health, log });
    onTestFinished(() => server.stop());
    expect((await request(server.url)).status).toBe(200);
    const socket = connect(Number(new URL(server.url).port), '::1');
    socket.end('GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 421 /);
  });

  test('stops at once, even with open connections', async () => {
    const server = await serveMetrics({ port: 0, host: '127.0.0.1', metrics: [], health, log });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
    await expectNoSockets();
  });

  test('rejects when its port is taken', async () => {
    const url = await open(saying(''));
    const port = Number(new URL(url).port);
    const second = serveMetrics({ port, host: '127.0.0.1', metrics: [], health, log });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
