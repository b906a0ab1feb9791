import { beforeAll, expect, test } from 'vitest';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { installEnvironment } from './install-environment';

/** A Worker that calls the service and receives deliveries. */
const worker = `
import { Tradepost } from '@tradepost/sdk';
import { webhookReceiver } from '@tradepost/sdk/webhooks';

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === '/webhooks') {
      const receiver = webhookReceiver({
        secret: env.secret,
        requireTimestamp: true,
        onVerificationError: () => undefined,
        on: { 'order.created': () => undefined },
        onUnhandled: 'ignore',
      });
      return receiver.fetch(request);
    }
    const tradepost = new Tradepost({ baseUrl: env.baseUrl, apiKey: env.apiKey });
    const [first] = await tradepost.orders.list().toArray({ limit: 1 });
    const order = await tradepost.orders.create({ listingId: first.listingId, quantity: 1 });
    const missing = await tradepost.orders.get('ord_00000000000000000000000000').safe();
    return Response.json({ status: order.status, missing: missing.error.code });
  },
};
`;

/** The program that starts the bundled Worker and prints its responses. */
const program = `
import { readFileSync } from 'node:fs';
import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
import { Miniflare } from 'miniflare';

const { TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: apiKey } = process.env;
const miniflare = new Miniflare({
  modules: true,
  script: readFileSync('worker.js', 'utf8'),
  compatibilityDate: '2026-07-01',
  bindings: { baseUrl, apiKey, secret: exampleSecret },
});
const url = await miniflare.ready;
const called = await (await fetch(url)).json();
const event = sampleEvent('order.created');
const statuses = [];
for (const secret of [exampleSecret, 'whsec_b3RoZXI=']) {
  const delivery = await signDelivery({ event, secret });
  const response = await fetch(new URL('/webhooks', url), delivery.init);
  statuses.push(response.status);
}
await miniflare.dispose();
console.log(JSON.stringify({ called, statuses }));
`;

let server: SeededServer;
beforeAll(async () => {
  server = await startSeededServer();
  return () => server.close();
});

test('a Worker in miniflare calls the service and receives deliveries', async () => {
  const environment = await installEnvironment({
    name: 'miniflare',
    dependencies: { esbuild: '0.28.2', miniflare: '4.20260730.0' },
    files: { 'worker.mjs': worker, 'main.mjs': program },
  });
  try {
    await environment.run(
      'esbuild/bin/esbuild',
      'worker.mjs',
      '--bundle',
      '--format=esm',
      '--conditions=workerd',
      '--outfile=worker.js',
    );
    const env = server.createEnvironment(server.buyer);
    const { code, stdout, stderr } = await environment.node(['main.mjs'], env);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      called: { status: 'pending', missing: 'order_not_found' },
      statuses: [204, 400],
    });
  } finally {
    await environment.remove();
  }
});
