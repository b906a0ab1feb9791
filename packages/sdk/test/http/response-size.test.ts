import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { InvalidResponseError, Tradepost, type TradepostOptions } from '../../src/index';
import { createPooledFetch } from '../../src/node';
import { catchTradepostError } from '../helpers/catch-tradepost-error';

const limit = 100_000;

/** Starts a service that responds in one way. Counts its requests. */
async function start(respond: (response: ServerResponse) => void) {
  const requests: ServerResponse[] = [];
  const { url, close } = await startHttpServer((_, response) => {
    requests.push(response);
    respond(response);
  });
  onTestFinished(close);
  return { url, requests };
}

/** Writes zeros until the connection is closed. */
function writeForEver(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, headers);
  const gzip = headers['content-encoding'] ? createGzip() : null;
  const target = gzip ?? response;
  gzip?.pipe(response);
  const zeros = Buffer.alloc(65_536);
  const write = (): void => {
    while (!response.destroyed && target.write(zeros));
    if (!response.destroyed) target.once('drain', write);
  };
  response.on('close', () => gzip?.destroy());
  write();
}

describe.each<[string, Partial<TradepostOptions>]>([
  ['the fetch of the runtime', {}],
  ['a pooled fetch', { fetch: createPooledFetch({ connections: 2 }) }],
])('with %s', (_, options) => {
  function client(baseUrl: string, more: Partial<TradepostOptions> = {}) {
    return new Tradepost({
      baseUrl,
      apiKey: 'tpk_test',
      maxResponseBytes: limit,
      ...options,
      ...more,
    });
  }

  test.each([200, 404, 500])(
    'a small body that becomes a large one is an error, at status %i',
    async (status) => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const { url, requests } = await start((response) => {
        response.writeHead(status, { 'content-encoding': 'gzip' }).end(bomb);
      });
      const error = await catchTradepostError(client(url).orders.list());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.code).toBe('response_too_large');
      expect(error.message).toContain('more than 100000 bytes');
      expect(error.message).toContain('maxResponseBytes');
      expect(error.mayHaveBeenApplied).toBe(false);
      // Not repeated: the next response would be as large.
      expect(requests).toHaveLength(1);
    },
  );

  test.each<[string, Record<string, string>]>([
    ['plain', {}],
    ['compressed', { 'content-encoding': 'gzip' }],
    ['announced as long', { 'content-length': '99999999999' }],
  ])(
    'an endless %s body ends at the limit, and its connection is closed',
    async (_kind, headers) => {
      const { url, requests } = await start((response) => writeForEver(response, headers));
      const { orders } = client(url);
      const change = orders.update('ord_1', { status: 'confirmed' });
      const error = await catchTradepostError(change);
      expect(error.code).toBe('response_too_large');
      expect(error.mayHaveBeenApplied).toBe(true);
      const [response] = requests;
      if (response && !response.closed) await once(response, 'close');
      expect(requests).toHaveLength(1);
    },
  );

  test('a body of exactly the limit is read, compressed or not', async () => {
    const body = JSON.stringify({ data: [], nextCursor: null }).padEnd(limit);
    for (const encoding of ['identity', 'gzip']) {
      const { url } = await start((response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(encoding === 'gzip' ? gzipSync(body) : body);
      });
      expect((await client(url).orders.list()).data).toEqual([]);
      const error = await catchTradepostError(
        client(url, { maxResponseBytes: limit - 1 }).orders.list(),
      );
      expect(error.code).toBe('response_too_large');
    }
  });
});

test('a pooled fetch rejects more encodings than a service needs', async () => {
  const { url } = await start((response) => {
    response.writeHead(200, { 'content-encoding': Array(6).fill('gzip').join(',') }).end('x');
  });
  const fetch = createPooledFetch();
  const { orders } = new Tradepost({ baseUrl: url, apiKey: 'tpk_test', fetch, maxRetries: 0 });
  await expect(orders.list()).rejects.toThrow('more than 5 content encodings');
});

test('the text of a custom fetch without a stream is limited too', async () => {
  const fetch = async () => ({
    status: 200,
    headers: new Headers(),
    text: async () => 'x'.repeat(11),
  });
  const options = { baseUrl: 'https://trade.example', apiKey: 'tpk_test', fetch };
  const { orders } = new Tradepost({ ...options, maxResponseBytes: 10 });
  expect((await catchTradepostError(orders.list())).code).toBe('response_too_large');
});

test.each([0, -1, 1.5, Number.NaN, '10'])('maxResponseBytes cannot be %j', (maxResponseBytes) => {
  const options = { baseUrl: 'https://trade.example', apiKey: 'tpk_test', maxResponseBytes };
  expect(() => new Tradepost(options as TradepostOptions)).toThrow('maxResponseBytes must be');
});

test('a custom fetch may read the body and return it by text()', async () => {
  const { url } = await start((response) => response.end('{"data":{"id":"ord_1"}}'));
  const tradepost = new Tradepost({
    baseUrl: url,
    apiKey: 'tpk_any',
    async fetch(input, init) {
      const response = await fetch(input, init as RequestInit);
      const text = await response.text();
      return Object.assign(response, { text: async () => text });
    },
  });
  expect(await tradepost.orders.get('ord_1')).toMatchObject({ id: 'ord_1' });
});
