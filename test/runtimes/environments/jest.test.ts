import { beforeAll, expect, test } from 'vitest';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { type Environment, installEnvironment } from './install-environment';

/** What an integrator imports, by entry. */
const imports = {
  '@tradepost/sdk': 'Tradepost, NotFoundError, TimeoutError',
  '@tradepost/sdk/testing': 'exampleSecret, mockTradepost, sampleEvent, signDelivery',
  '@tradepost/sdk/validate': 'validateEvent, validateResponses',
  '@tradepost/sdk/webhooks': 'verifyWebhook, webhookReceiver',
};

/** The tests of an integrator, after the imports. */
const tests = `
const client = () =>
  new Tradepost({
    baseUrl: process.env.TRADEPOST_BASE_URL,
    apiKey: process.env.TRADEPOST_API_KEY,
    validate: validateResponses,
  });

test('the client lists and creates orders', async () => {
  const tradepost = client();
  const [first] = await tradepost.orders.list().toArray({ limit: 1 });
  const order = await tradepost.orders.create({ listingId: first.listingId, quantity: 1 });
  expect(order.status).toBe('pending');
  expect(await tradepost.orders.get(order.id)).toEqual(order);
});

test('the client throws its own classes', async () => {
  const missing = client().orders.get('ord_00000000000000000000000000');
  await expect(missing).rejects.toThrow(NotFoundError);
});

test('a mock throws the classes of the client, and retries while timers are faked', async () => {
  jest.useFakeTimers();
  const { client, as, addListing, fail } = mockTradepost();
  fail('orders.create', { status: 503, retryAfter: 60 });
  const order = await client.orders.create({ listingId: addListing().id, quantity: 1 });
  expect(await as('seller').orders.get(order.id)).toEqual(order);
  fail('orders.get', 'timeout', { times: Infinity });
  await expect(client.orders.get(order.id)).rejects.toThrow(TimeoutError);
  await expect(as('seller').orders.get('ord_1', { maxRetries: 0 })).rejects.toThrow(TimeoutError);
  jest.useRealTimers();
});

test('a delivery is verified, handled and validated', async () => {
  const event = sampleEvent('order.created');
  const delivery = await signDelivery({ event, secret: exampleSecret });
  const { body: payload, headers } = delivery;
  expect(await verifyWebhook({ payload, headers, secret: exampleSecret })).toEqual(event);
  await expect(verifyWebhook({ payload, headers, secret: 'whsec_b3RoZXI=' })).rejects.toMatchObject({
    name: 'WebhookVerificationError',
  });
  const on = { 'order.created': jest.fn() };
  const receiver = webhookReceiver({ secret: exampleSecret, on, validate: validateEvent });
  const response = await receiver.fetch(delivery.toRequest('https://receiver.example/'));
  expect(response.status).toBe(204);
  expect(on['order.created']).toHaveBeenCalledTimes(1);
});
`;

const load = {
  module: ([entry, names]: [string, string]) => `import { ${names} } from '${entry}';`,
  commonjs: ([entry, names]: [string, string]) => `const { ${names} } = require('${entry}');`,
};

let server: SeededServer;
beforeAll(async () => {
  server = await startSeededServer();
  return () => server.close();
});

/** Runs the tests in a project of one module type. Returns the result as Jest reports it. */
async function runJest(type: 'module' | 'commonjs', ...nodeOptions: string[]) {
  const header = Object.entries(imports).map(load[type]).join('\n');
  const jestImport = type === 'module' ? "\nimport { jest } from '@jest/globals';" : '';
  const environment: Environment = await installEnvironment({
    name: `jest-${type}`,
    type,
    dependencies: { '@jest/globals': '30.5.2', jest: '30.5.2' },
    files: { 'integrator.test.js': `${header}${jestImport}\n${tests}` },
  });
  try {
    const args = [...nodeOptions, 'node_modules/jest/bin/jest.js', '--json', '--ci', '--no-cache'];
    const { stdout, stderr } = await environment.node(args, {
      ...server.createEnvironment(server.buyer),
      NODE_ENV: 'test',
    });
    const { numPassedTests, numTotalTests } = JSON.parse(stdout || '{}');
    return { passed: numPassedTests, of: numTotalTests, output: stderr };
  } finally {
    await environment.remove();
  }
}

test('Jest with CommonJS runs the tests of an integrator', async () => {
  const { passed, of, output } = await runJest('commonjs');
  expect([passed, of], output).toEqual([4, 4]);
});

test('Jest with ES modules runs the tests of an integrator', async () => {
  const { passed, of, output } = await runJest('module', '--experimental-vm-modules');
  expect([passed, of], output).toEqual([4, 4]);
});
