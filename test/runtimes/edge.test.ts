import { createServer } from 'node:http';
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
import { Arrivals } from '../helpers/arrivals';
import { closeServer, listenOnLoopback } from '../helpers/loopback';
import { startSeededServer } from '../helpers/start-seeded-server';
import { bundleProgram } from './bundle-program';
import { edgeRuntimes } from './edge-runtimes';
import { outcomeOfCalls } from './outcome-of-calls';
import type { Verdicts } from './programs/verify-deliveries';
import { type RunningWorker, startWorker } from './start-worker';

test('the edge runtime is here to be tested wherever it runs, .ci/run among it', () => {
  const runs = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  expect(edgeRuntimes()).toHaveLength(runs ? 1 : 0);
});

const modes = [
  { offers: 'the web alone', compatibilityDate: '2024-08-01', hasNode: false },
  { offers: "some of Node's interfaces too", compatibilityDate: '2026-11-01', hasNode: true },
];
const runtimes = edgeRuntimes().flatMap((program) => modes.map((mode) => ({ program, ...mode })));

describe.each(runtimes)(
  'where workerd offers $offers',
  ({ program, compatibilityDate, hasNode }) => {
    const inbox = new Arrivals();
    let worker: RunningWorker;

    beforeAll(async () => {
      const service = await startSeededServer();
      const server = createServer(async (request, response) => {
        await inbox.record(request);
        response.writeHead(204).end();
        inbox.notify();
      });
      worker = await startWorker({
        program,
        module: await bundleProgram('worker', 'workerd'),
        compatibilityDate,
        bindings: {
          baseUrl: service.server.url,
          apiKey: service.buyer.apiKey,
          inbox: `http://127.0.0.1:${await listenOnLoopback(server)}/`,
        },
      });
      return async () => {
        await worker.close();
        await closeServer(server);
        await service.close();
      };
    });

    async function answerOf<Json>(path: string, init?: RequestInit): Promise<Json> {
      const response = await fetch(`${worker.url}${path}`, init);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      return JSON.parse(text) as Json;
    }

    test('that is so', async () => {
      expect(await answerOf('/has-node')).toBe(hasNode);
    });

    test('the client calls the service, follows pages, and tells errors apart', async () => {
      expect(await answerOf('/call-the-service')).toEqual(outcomeOfCalls);
    });

    test('verifyWebhook accepts what is right and refuses each fault with its code', async () => {
      const verdicts = Object.entries(await answerOf<Verdicts>('/verify-deliveries'));
      expect(verdicts.length).toBe(deliveryFaults.length + deliveryEdgeCases.length);
      expect(verdicts.map(([name, { said }]) => [name, said])).toEqual(
        verdicts.map(([name, { expected }]) => [name, expected]),
      );
    });

    test('verifyWebhook takes a Request as it is', async () => {
      const event = sampleEvent('task.completed');
      const { init } = await signDelivery({ event, secret });
      expect(await answerOf('/verify', init)).toEqual(event);
    });

    test('verifyWebhookSync works with Node and says what to use without', async () => {
      const expected = hasNode ? 'Service-Signature is missing' : 'use await verifyWebhook';
      expect(await answerOf('/verify-without-promise')).toContain(expected);
    });

    test.each(deliveryEdgeCases)('a receiver takes an unusual delivery: %s', async (edgeCase) => {
      const { init } = await edgeCaseDelivery(edgeCase, { secret });
      expect((await fetch(`${worker.url}/receive`, init)).status).toBe(204);
    });

    test.each(deliveryFaults)('a receiver refuses a faulty delivery: %s', async (fault) => {
      const { init, expectedStatus, ...codes } = await invalidDelivery(fault, { secret });
      const before = inbox.all.length;
      const response = await fetch(`${worker.url}/receive`, init);
      expect(response.status).toBe(expectedStatus);
      expect(await response.text()).toContain(hasNode ? codes.expectedCode : codes.productionCode);
      expect(inbox.all).toHaveLength(before);
    });

    test('a receiver answers first and handles afterwards', async () => {
      const event = sampleEvent('order.status_changed', { data: { status: 'cancelled' } });
      const { init } = await signDelivery({ event, secret });
      expect((await fetch(`${worker.url}/receive-first`, init)).status).toBe(202);
      await inbox.until((arrivals) => arrivals.some(({ body }) => String(body) === 'cancelled'));
    });
  },
);
