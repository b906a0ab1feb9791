import { once } from 'node:events';
import { connect } from 'node:net';
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
