import {
  deliveryEdgeCases,
  deliveryFaults,
  edgeCaseDelivery,
  invalidDelivery,
  sampleEvent,
  exampleSecret as secret,
  signDelivery,
} from '@tradepost/sdk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startHttpReceiver } from '../helpers/start-receiver';
import { startSeededServer } from '../helpers/start-seeded-server';
import { bundleProgram } from './bundle-program';
import { findEdgeRuntimes } from './edge-runtimes';
import { expectedResults } from './expected-results';
import type { Verdicts } from './programs/verify-deliveries';
import { type RunningWorker, startWorker } from './start-worker';

test('workerd is installed on every platform that it supports', () => {
  const runs = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  expect(findEdgeRuntimes()).toHaveLength(runs ? 1 : 0);
});

const modes = [
  { name: 'web interfaces only', compatibilityDate: '2024-08-01', hasNode: false },
  { name: "web and Node's interfaces", compatibilityDate: '2026-11-01', hasNode: true },
];
const runtimes = findEdgeRuntimes().flatMap((program) =>
  modes.map((mode) => ({ program, ...mode })),
);

describe.each(runtimes)('workerd with $name', ({ program, compatibilityDate, hasNode }) => {
  let inbox: Receiver;
  let worker: RunningWorker;

  beforeAll(async () => {
    const service = await startSeededServer();
    inbox = await startHttpReceiver();
    worker = await startWorker({
      program,
      module: await bundleProgram('worker', 'workerd'),
      compatibilityDate,
      bindings: {
        baseUrl: service.server.url,
        apiKey: service.buyer.apiKey,
        inbox: inbox.url,
      },
    });
    return async () => {
      await worker.close();
      await inbox.close();
      await service.close();
    };
  });

  async function fetchJson<Json>(path: string, init?: RequestInit): Promise<Json> {
    const response = await fetch(`${worker.url}${path}`, init);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text) as Json;
  }

  test('has the interfaces of Node or not, as configured', async () => {
    expect(await fetchJson('/has-node')).toBe(hasNode);
  });

  test('runs the client, which calls the service, follows pages and distinguishes errors', async () => {
    expect(await fetchJson('/call-service')).toEqual(expectedResults);
  });

  test('runs verifyWebhook, which accepts valid deliveries and rejects each fault with its code', async () => {
    const verdicts = Object.entries(await fetchJson<Verdicts>('/verify-deliveries'));
    expect(verdicts.length).toBe(deliveryFaults.length + deliveryEdgeCases.length);
    expect(verdicts.map(([name, { result }]) => [name, result])).toEqual(
      verdicts.map(([name, { expected }]) => [name, expected]),
    );
  });

  test('runs verifyWebhook with a Request', async () => {
    const event = sampleEvent('task.completed');
    const { init } = await signDelivery({ event, secret });
    expect(await fetchJson('/verify', init)).toEqual(event);
  });

  test('runs verifyWebhookSync with Node, and gets the name of the alternative without', async () => {
    const expected = hasNode ? 'Service-Signature is missing' : 'use await verifyWebhook';
    expect(await fetchJson('/verify-sync')).toContain(expected);
  });

  test.each(deliveryEdgeCases)(
    'runs a receiver that accepts an unusual delivery: %s',
    async (edgeCase) => {
      const { init } = await edgeCaseDelivery(edgeCase, { secret });
      expect((await fetch(`${worker.url}/receive`, init)).status).toBe(204);
    },
  );

  test.each(deliveryFaults)('runs a receiver that rejects a faulty delivery: %s', async (fault) => {
    const { init, expectedStatus, ...codes } = await invalidDelivery(fault, { secret });
    const before = inbox.arrivals.length;
    const response = await fetch(`${worker.url}/receive`, init);
    expect(response.status).toBe(expectedStatus);
    expect(await response.text()).toContain(hasNode ? codes.expectedCode : codes.productionCode);
    expect(inbox.arrivals).toHaveLength(before);
  });

  test('runs a receiver that responds first and handles the event afterwards', async () => {
    const event = sampleEvent('order.status_changed', { data: { status: 'cancelled' } });
    const { init } = await signDelivery({ event, secret });
    expect((await fetch(`${worker.url}/receive-first`, init)).status).toBe(202);
    await inbox.until((arrivals) => arrivals.some(({ body }) => String(body) === 'cancelled'));
  });
});
