import { describe, expect, test } from 'vitest';
import { allEventTypes } from '../../src/index';
import { sampleEvent, signDelivery } from '../../src/testing';
import { exampleSecret as secret } from '../../src/testing/index';
import { validateEvent } from '../../src/validate';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { now } from '../helpers/receiver/limits';

describe('validateEvent', () => {
  test.each([...allEventTypes])('accepts %s', (type) => {
    expect(validateEvent(sampleEvent(type))).toEqual([]);
  });

  test.each([...allEventTypes])('reports each missing field of %s', (type) => {
    const { data, ...envelope } = sampleEvent(type);
    for (const name of Object.keys(data)) {
      const { [name]: _, ...others } = data as unknown as Record<string, unknown>;
      expect(validateEvent({ ...envelope, data: others })).toEqual([
        { path: `data.${name}`, message: expect.stringContaining('is missing') },
      ]);
    }
  });

  test('reports a field of another type, and data that is no object', () => {
    const event = sampleEvent('order.created');
    expect(validateEvent({ ...event, data: { ...event.data, quantity: '3' } })).toEqual([
      { path: 'data.quantity', message: expect.stringMatching(/^(?!is missing)/) },
    ]);
    expect(validateEvent({ ...event, data: [] })).toEqual([
      { path: 'data', message: expect.any(String) },
    ]);
  });

  test('accepts what the service may add: fields, statuses, forms of IDs, event types', () => {
    const event = sampleEvent('order.status_changed');
    const data = { ...event.data, status: 'archived', orderId: 'ord_7', reason: 'x' };
    expect(validateEvent({ ...event, data })).toEqual([]);
    expect(
      validateEvent({ event: 'order.archived', createdAt: event.createdAt, data: {} }),
    ).toEqual([]);
  });

  test('accepts a change of status with and without a reason, which is a text', () => {
    const event = sampleEvent('order.status_changed');
    expect('reason' in event.data).toBe(false);
    const withReason = (reason: unknown) =>
      validateEvent({ ...event, data: { ...event.data, reason } });
    expect(withReason('The buyer has paid.')).toEqual([]);
    expect(withReason(7)).toEqual([{ path: 'data.reason', message: expect.any(String) }]);
  });

  test('as an option of a receiver rejects an incomplete event, with its fields', async () => {
    const reported: unknown[] = [];
    const { receiver, handled } = aReceiver({
      validate: validateEvent,
      onVerificationError: (error) => reported.push(error),
    });
    const event = { ...sampleEvent('order.created'), data: { orderId: 'ord_1' } };
    const delivery = await signDelivery({ event, secret, sentAt: now } as never);
    const response = await receiver.fetch(delivery.toRequest('https://receiver.example/'));
    expect([response.status, await response.text()]).toEqual([400, 'INVALID_EVENT']);
    expect(handled).toEqual([]);
    expect(reported).toEqual([
      expect.objectContaining({
        code: 'INVALID_EVENT',
        message: expect.stringMatching(
          /order\.created is not: data\.buyerId is missing: .*data\.sellerId/,
        ),
      }),
    ]);
    const whole = await signDelivery({
      event: sampleEvent('order.created'),
      secret,
      sentAt: now,
    } as never);
    expect((await receiver.fetch(whole.toRequest('https://receiver.example/'))).status).toBe(204);
  });
});
