import { deliveryEdgeCases, deliveryFaults } from '@tradepost/sdk/testing';
import { beforeAll, expect, test } from 'vitest';
import { startSeededServer } from '../helpers/start-seeded-server';
import { allowOtherOrigins } from './allow-other-origins';
import { bundleProgram } from './bundle-program';
import { type OpenPage, openPage } from './open-page';
import { outcomeOfCalls } from './outcome-of-calls';
import type { Service } from './programs/call-the-service';
import type { Verdicts } from './programs/verify-deliveries';

let opened: OpenPage;
let service: Service;
beforeAll(async () => {
  const server = await startSeededServer();
  const gateway = await allowOtherOrigins(server.server.url);
  service = { baseUrl: gateway.url, apiKey: server.buyer.apiKey };
  opened = await openPage(await bundleProgram('page', 'browser'));
  return async () => {
    await opened.close();
    await gateway.close();
    await server.close();
  };
});

test('the page is one that browsers trust, and has nothing of Node', async () => {
  expect(await opened.page.evaluate('isSecureContext')).toBe(true);
  expect(await opened.page.evaluate("'process' in globalThis")).toBe(false);
});

test('the client calls the service, follows pages, and tells errors apart', async () => {
  const call = `callTheService(${JSON.stringify(service)})`;
  expect(await opened.page.evaluate(call)).toEqual(outcomeOfCalls);
});

test('verifyWebhook accepts what is right and refuses each fault with its code', async () => {
  const verdicts = Object.entries(await opened.page.evaluate<Verdicts>('verifyDeliveries()'));
  expect(verdicts.length).toBe(deliveryFaults.length + deliveryEdgeCases.length);
  expect(verdicts.map(([name, { said }]) => [name, said])).toEqual(
    verdicts.map(([name, { expected }]) => [name, expected]),
  );
});

test('verifyWebhookSync says what to use instead', async () => {
  const said = await opened.page.evaluate('verifyWithoutPromise()');
  expect(said).toContain('use await verifyWebhook');
});

test('nothing of it throws where nobody catches', () => {
  expect(opened.complaints).toEqual([]);
});
