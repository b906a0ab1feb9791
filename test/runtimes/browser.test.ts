import { deliveryEdgeCases, deliveryFaults } from '@tradepost/sdk/testing';
import { beforeAll, expect, test } from 'vitest';
import { startSeededServer } from '../helpers/start-seeded-server';
import { bundleProgram } from './bundle-program';
import { expectedResults } from './expected-results';
import { type OpenPage, openPage } from './open-page';
import type { Service } from './programs/call-the-service';
import type { Verdicts } from './programs/verify-deliveries';

let opened: OpenPage;
let service: Service;
beforeAll(async () => {
  const server = await startSeededServer(['--cors-origin', '*']);
  service = { baseUrl: server.server.url, apiKey: server.buyer.apiKey };
  opened = await openPage(await bundleProgram('page', 'browser'));
  return async () => {
    await opened.close();
    await server.close();
  };
});

test('the page is a secure context without the interfaces of Node', async () => {
  expect(await opened.page.evaluate('isSecureContext')).toBe(true);
  expect(await opened.page.evaluate("'process' in globalThis")).toBe(false);
});

test('the client calls the service, follows pages and distinguishes errors', async () => {
  const call = `callService(${JSON.stringify(service)})`;
  expect(await opened.page.evaluate(call)).toEqual(expectedResults);
});

test('verifyWebhook accepts valid deliveries and rejects each fault with its code', async () => {
  const verdicts = Object.entries(await opened.page.evaluate<Verdicts>('verifyDeliveries()'));
  expect(verdicts.length).toBe(deliveryFaults.length + deliveryEdgeCases.length);
  expect(verdicts.map(([name, { result }]) => [name, result])).toEqual(
    verdicts.map(([name, { expected }]) => [name, expected]),
  );
});

test('verifyWebhookSync names the function to use instead', async () => {
  const result = await opened.page.evaluate('verifySync()');
  expect(result).toContain('use await verifyWebhook');
});

test('the page has no uncaught errors', () => {
  expect(opened.errors).toEqual([]);
});
