import type { DeliveryDetails, WebhookDetails } from '@tradepost/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { getData } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

it('headers of a webhook are sent with each delivery, and no response or log shows their values', async () => {
  const { receiver, webhook } = await harness.hook(respond(200));
  const path = `/v1/webhooks/${webhook.id}`;
  const headers = { Authorization: 'Bearer 4fQx', 'X-Tenant': 'seven' };
  const body = { headers, description: 'Warehouse in Leith' };
  const changed = await harness.service.request(`PATCH ${path}`, { as: harness.buyer, body });
  expect(getData<WebhookDetails>(changed)).toMatchObject({
    description: 'Warehouse in Leith',
    headerNames: ['Authorization', 'X-Tenant'],
    attemptsPerMinute: null,
  });
  await harness.placeAndRecord();
  const sent = await receiver.next();
  expect(sent.headers).toMatchObject({ authorization: 'Bearer 4fQx', 'x-tenant': 'seven' });
  expect(sent.headers['content-type']).toBe('application/json');
  const delivery: DeliveryDetails = await harness.newest();
  expect(delivery.attempts[0]?.headers).toMatchObject({
    Authorization: '[hidden]',
    'X-Tenant': '[hidden]',
    'webhook-id': delivery.eventId,
  });
  const shown = [changed.text, JSON.stringify(delivery), JSON.stringify(await harness.see(path))];
  for (const text of [...shown, ...harness.logs.text]) expect(text).not.toMatch(/4fQx|seven/);
});

it('a limit of attempts spreads deliveries over time', async () => {
  const { receiver, webhook } = await harness.hook(respond(200));
  const body = { attemptsPerMinute: 2 };
  const request = { as: harness.buyer, body };
  await harness.service.request(`PATCH /v1/webhooks/${webhook.id}`, request);
  for (let count = 0; count < 3; count += 1) await harness.place();
  await harness.recorded();
  expect(receiver.count).toBe(1);
  for (const count of [2, 3]) {
    await harness.clock.advance(30_000);
    await harness.recorded();
    expect(receiver.count).toBe(count);
  }
});
