import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { createPooledFetch } from '../../src/client/pooled-fetch';

/** Starts a server that ends with the test. Returns where it is. */
async function start(listener: RequestListener): Promise<string> {
  const server = await startHttpServer(listener);
  onTestFinished(() => server.close());
  return server.url;
}

function init(more: { method?: string; body?: string; signal?: AbortSignal } = {}) {
  const { signal } = new AbortController();
  return { method: 'GET', headers: { 'x-one': '1' }, redirect: 'manual', signal, ...more } as const;
}

it('sends method, headers and body, and returns status, headers and text', async () => {
  const url = await start(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(418, { etag: '"3"', 'x-many': ['a', 'b'] });
    response.end(`${request.method} ${request.url} ${request.headers['x-one']} ${body} ü`);
  });
  const reply = await createPooledFetch(2)(`${url}/a?b=c`, init({ method: 'PATCH', body: '{}' }));
  expect(reply.status).toBe(418);
  expect(reply.headers.get('ETag')).toBe('"3"');
  expect(reply.headers.get('x-none')).toBeNull();
  const all: Record<string, string> = {};
  reply.headers.forEach((value, name) => {
    all[name] = value;
  });
  expect(all).toMatchObject({ etag: '"3"', 'x-many': 'a, b' });
  expect(await reply.text()).toBe('PATCH /a?b=c 1 {} ü');
});

it('follows no redirect, so that the key is sent nowhere else', async () => {
  const url = await start((_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/' });
    response.end();
  });
  const reply = await createPooledFetch(1)(url, init());
  expect([reply.status, reply.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/']);
});

it('reads a response that a proxy compressed without being asked', async () => {
  const url = await start((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('{"data":[]}'));
  });
  expect(await (await createPooledFetch(1)(url, init())).text()).toBe('{"data":[]}');
});

it('opens no more connections than the limit', async () => {
  const connections = new Set<unknown>();
  let waiting: (() => void)[] = [];
  const url = await start((request, response) => {
    connections.add(request.socket);
    waiting.push(() => response.end('x'));
    if (waiting.length < 2) return;
    for (const reply of waiting) reply();
    waiting = [];
  });
  const send = createPooledFetch(2);
  const replies = await Promise.all(Array.from({ length: 10 }, () => send(url, init())));
  expect(await Promise.all(replies.map((reply) => reply.text()))).toEqual(Array(10).fill('x'));
  expect(connections.size).toBe(2);
});

it('ends immediately when it is aborted, and reports why a connection failed', async () => {
  const interrupt = new AbortController();
  const url = await start(() => interrupt.abort(new Error('enough')));
  await expect(createPooledFetch(1)(url, init({ signal: interrupt.signal }))).rejects.toThrow(
    'enough',
  );
  await expect(createPooledFetch(1)('http://127.0.0.1:9', init())).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});
