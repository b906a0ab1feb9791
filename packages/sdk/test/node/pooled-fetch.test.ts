import type { RequestListener } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ProxyAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { findUnusedPort, startHttpServer } from '../../../../test/helpers/loopback';
import { Tradepost } from '../../src/index';
import { createPooledFetch } from '../../src/node';
import { catchTradepostError } from '../helpers/catch-tradepost-error';

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

test('a pooled fetch sends method, headers and body, and returns status, headers and text', async () => {
  const url = await start(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(418, { etag: '"3"', 'x-many': ['a', 'b'] });
    response.end(`${request.method} ${request.url} ${request.headers['x-one']} ${body} ü`);
  });
  const reply = await createPooledFetch({ connections: 2 })(
    `${url}/a?b=c`,
    init({ method: 'PATCH', body: '{}' }),
  );
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

test('a pooled fetch follows no redirect, so that the key is sent nowhere else', async () => {
  const url = await start((_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/' });
    response.end();
  });
  const reply = await createPooledFetch({ connections: 1 })(url, init());
  expect([reply.status, reply.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/']);
});

test('a pooled fetch reads a response that a proxy compressed without a request for it', async () => {
  const url = await start((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('{"data":[]}'));
  });
  expect(await (await createPooledFetch({ connections: 1 })(url, init())).text()).toBe(
    '{"data":[]}',
  );
});

test.each([
  ['GZIP', gzipSync('{}')],
  ['deflate', deflateSync('{}')],
  ['deflate', deflateRawSync('{}')],
  ['gzip, br', brotliCompressSync(gzipSync('{}'))],
  ['identity', Buffer.from('{}')],
])('a pooled fetch reads a body in the encoding %s', async (encoding, body) => {
  const url = await start((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(body);
  });
  expect(await (await createPooledFetch()(url, init())).text()).toBe('{}');
});

test('a pooled fetch rejects an encoding that it does not know, and needs none for an empty body', async () => {
  const url = await start((request, response) => {
    response.writeHead(request.method === 'PATCH' ? 204 : 200, { 'content-encoding': 'snappy' });
    response.end(request.method === 'GET' ? 'x' : undefined);
  });
  const send = createPooledFetch();
  await expect(send(url, init())).rejects.toThrow('unknown content encoding, snappy');
  for (const method of ['PATCH', 'POST', 'HEAD']) {
    const reply = await send(url, init({ method }));
    expect(await reply.text()).toBe('');
  }
});

test('a pooled fetch removes a byte order mark, joins pieces of a character, and skips interim responses', async () => {
  const body = Buffer.from('\ufeff{"data":"ü€"}');
  const url = await start((_, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.write(body.subarray(0, 13));
    setImmediate(() => response.end(body.subarray(13)));
  });
  const reply = await createPooledFetch()(url, init());
  expect([reply.status, reply.headers.get('link')]).toEqual([200, null]);
  expect(await reply.text()).toBe('{"data":"ü€"}');
});

test('a pooled fetch rejects a response that is cut off or not as it was compressed', async () => {
  const cut = await start((request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => request.socket.destroy());
  });
  await expect(createPooledFetch()(cut, init())).rejects.toThrow('other side closed');
  const broken = await start((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end('{}');
  });
  await expect(createPooledFetch()(broken, init())).rejects.toThrow('incorrect header check');
});

test('a pooled fetch sends nothing when it is aborted before or while it waits for a connection', async () => {
  let requests = 0;
  let reply = (): void => undefined;
  const url = await start((_, response) => {
    requests += 1;
    reply = () => response.end('x');
  });
  const send = createPooledFetch({ connections: 1 });
  const late = AbortSignal.abort(new Error('too late'));
  await expect(send(url, init({ signal: late }))).rejects.toThrow('too late');

  const first = send(url, init());
  const controller = new AbortController();
  const second = send(url, init({ signal: controller.signal }));
  controller.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  while (requests === 0) await new Promise(setImmediate);
  reply();
  expect(await (await first).text()).toBe('x');
  const third = send(url, init());
  while (requests === 1) await new Promise(setImmediate);
  reply();
  expect(await (await third).text()).toBe('x');
  expect(requests).toBe(2);
});

test('a pooled fetch opens no more connections than the limit', async () => {
  const connections = new Set<unknown>();
  let waiting: (() => void)[] = [];
  const url = await start((request, response) => {
    connections.add(request.socket);
    waiting.push(() => response.end('x'));
    if (waiting.length < 2) return;
    for (const reply of waiting) reply();
    waiting = [];
  });
  const send = createPooledFetch({ connections: 2 });
  const replies = await Promise.all(Array.from({ length: 10 }, () => send(url, init())));
  expect(await Promise.all(replies.map((reply) => reply.text()))).toEqual(Array(10).fill('x'));
  expect(connections.size).toBe(2);
});

test('a pooled fetch ends immediately when it is aborted, and reports why a connection failed', async () => {
  const interrupt = new AbortController();
  const url = await start(() => interrupt.abort(new Error('enough')));
  await expect(
    createPooledFetch({ connections: 1 })(url, init({ signal: interrupt.signal })),
  ).rejects.toThrow('enough');
  await expect(
    createPooledFetch({ connections: 1 })('http://127.0.0.1:9', init()),
  ).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

test('a client sends its calls through it, and reports a failed connection', async () => {
  const url = await start((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: anOrder() }));
  });
  const fetch = createPooledFetch({ connections: 1 });
  const tradepost = new Tradepost({ baseUrl: url, apiKey: 'tpk_test', fetch });
  expect(await tradepost.orders.get('ord_1')).toEqual(anOrder());
  await fetch.close();
  const dead = tradepost.withOptions({
    baseUrl: `http://127.0.0.1:${await findUnusedPort()}`,
    fetch: createPooledFetch(),
    maxRetries: 0,
  });
  const error = await catchTradepostError(dead.orders.get('ord_1'));
  expect(error).toMatchObject({ code: 'connection_failed', notSent: true });
});

test('a pooled fetch uses a dispatcher of the caller, such as a proxy', async () => {
  const seen: string[] = [];
  const proxy = await start((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('through the proxy');
  });
  const dispatcher = new ProxyAgent({ uri: proxy, proxyTunnel: false });
  const reply = await createPooledFetch({ dispatcher })('http://trade.example/v1/orders', init());
  expect(await reply.text()).toBe('through the proxy');
  expect(seen).toEqual(['GET http://trade.example/v1/orders']);
  await dispatcher.close();
});

test('an option of the pool that does not exist is rejected', () => {
  expect(() => createPooledFetch({ connection: 3 } as never)).toThrow('Did you mean connections?');
});

test.each([0, -1, 1.5, Number.NaN])('a pool of %s connections is rejected', (connections) => {
  expect(() => createPooledFetch({ connections })).toThrow(RangeError);
});
