import {
  deliveryFaults,
  exampleSecret,
  invalidDelivery,
  sampleEvent,
  signDelivery,
} from '@tradepost/sdk/testing';
import { eventTypes, type WebhookEvent } from '@tradepost/sdk/webhooks';
import { beforeEach, expect, test, vi } from 'vitest';
import { readStatus } from '../src/orders';
import { receive } from './receive';

const url = 'https://receiver.example/webhooks';

beforeEach(() => {
  vi.stubEnv('TRADEPOST_WEBHOOK_SECRET', exampleSecret);
});

/** Sends a signed delivery of an event and returns the status of the response. */
async function deliver(event: WebhookEvent): Promise<number> {
  const delivery = await signDelivery({ event, secret: exampleSecret });
  return (await receive(delivery.toRequest(url))).status;
}

test.each(eventTypes)('accepts a delivery of %s', async (type) => {
  expect(await deliver(sampleEvent(type))).toBe(204);
});

test.each(deliveryFaults)('rejects an invalid delivery: %s', async (fault) => {
  const delivery = await invalidDelivery(fault, { secret: exampleSecret });
  expect((await receive(delivery.toRequest(url))).status).toBe(delivery.expectedStatus);
});

test('records the status of an order', async () => {
  const orderId = 'ord_recorded';
  await deliver(sampleEvent('order.created', { data: { orderId } }));
  await deliver(
    sampleEvent('order.status_changed', {
      createdAt: '2100-01-01T00:00:00.000Z',
      data: { orderId, previousStatus: 'pending', status: 'confirmed' },
    }),
  );
  expect(await readStatus(orderId)).toBe('confirmed');
});

test('keeps the latest status when deliveries arrive in another order', async () => {
  const orderId = 'ord_reordered';
  const changes = [
    { createdAt: '2100-01-01T00:00:02.000Z', previousStatus: 'confirmed', status: 'fulfilling' },
    { createdAt: '2100-01-01T00:00:01.000Z', previousStatus: 'pending', status: 'confirmed' },
  ] as const;
  for (const { createdAt, previousStatus, status } of changes) {
    await deliver(
      sampleEvent('order.status_changed', { createdAt, data: { orderId, previousStatus, status } }),
    );
  }
  expect(await readStatus(orderId)).toBe('fulfilling');
});
