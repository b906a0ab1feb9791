import { type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { placeOrders } from '../../helpers/place-orders';
import { tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** What proxies make of the `ETag` of a response that they compress. */
const proxies: [name: string, change: (etag: string) => string | undefined][] = [
  ['nginx, which weakens the ETag', (etag) => `W/${etag}`],
  ['Apache, which appends the encoding', (etag) => etag.replace(/"$/, '-gzip"')],
  ['Envoy, which removes the ETag', () => undefined],
];

/** Starts a proxy that compresses every response. */
async function startCompressingProxy(
  target: string,
  change: (etag: string) => string | undefined,
): Promise<string> {
  const { url, close } = await startHttpServer((incoming, response) => {
    const { method, headers, url: path } = incoming;
    const outgoing = sendRequest(`${target}${path}`, { method, headers }, async (upstream) => {
      const parts: Buffer[] = [];
      for await (const part of upstream) parts.push(part);
      const body = gzipSync(Buffer.concat(parts));
      const { etag, 'content-length': _, ...others } = upstream.headers;
      const changed = etag === undefined ? undefined : change(etag);
      const sent: IncomingHttpHeaders = { ...others, 'content-encoding': 'gzip' };
      if (changed !== undefined) sent.etag = changed;
      response.writeHead(upstream.statusCode ?? 502, sent).end(body);
    });
    incoming.pipe(outgoing);
  });
  onTestFinished(close);
  return url;
}

describe.each(proxies)('behind a proxy such as %s', (_, change) => {
  async function start() {
    const seeded = await forTest(startSeededServer());
    const { seller, server } = seeded;
    const ids = await placeOrders(seeded, 3);
    const baseUrl = await startCompressingProxy(server.url, change);
    const env = { TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: seller.apiKey };
    return { ids, env, orders: new Tradepost({ baseUrl, apiKey: seller.apiKey }).orders };
  }

  it('a guarded change through the SDK succeeds, and a conflict is found', async () => {
    const { ids, orders } = await start();
    const [id = ''] = ids;
    const { headers } = await orders.get(id).withResponse();
    const ifMatch = headers.get('etag') ?? `"${headers.get('tradepost-order-version')}"`;
    await orders.update(id, { status: 'confirmed' }, { ifMatch });
    const late = await orders.update(id, { status: 'cancelled' }, { ifMatch }).safe();
    expect(late).toMatchObject({ ok: false, error: { code: 'precondition_failed' } });
    expect((await orders.get(id)).status).toBe('confirmed');
  });

  it('--if-status moves one order, and many', async () => {
    const { ids, env, orders } = await start();
    const set = ['orders', 'set-status', '--if-status', 'pending', '--yes', '--no-journal'];
    for (const some of [ids.slice(0, 1), ids.slice(1)]) {
      expect(await runCli([...set, ...some, 'confirmed'], env)).toMatchObject({ code: 0 });
    }
    for (const id of ids) expect((await orders.get(id)).status).toBe('confirmed');
  });

  it('mcp changes an order', async () => {
    const { ids, env } = await start();
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [tradepostBin, 'mcp', '--allow-writes'],
        env: cleanEnvironment(env) as Record<string, string>,
      }),
    );
    const change = { id: ids[0], from: 'pending', to: 'confirmed' };
    const result = await client.callTool({ name: 'set_order_status', arguments: change });
    expect(result).toMatchObject({ structuredContent: { after: 'confirmed', changed: true } });
  });
});
