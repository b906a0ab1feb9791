import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  deliveryEdgeCases,
  deliveryFaults,
  edgeCaseDelivery,
  invalidDelivery,
  sampleEvent,
  exampleSecret as secret,
  signDelivery,
} from '../../src/testing/index';
import { eventTypes, type ReceivedDelivery } from '../../src/webhooks/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import type { RunningHost } from '../helpers/receiver/host';
import { hosts } from '../helpers/receiver/hosts';
import { maxBytes, now } from '../helpers/receiver/limits';

const known = { secret, sentAt: now };
const plainText = 'text/plain; charset=utf-8';

describe.each(hosts)('a receiver in $name', ({ start, loses = [], repairs = [] }) => {
  const { receiver, handled, rejected, errors, handle } = aReceiver();
  let host: RunningHost;

  beforeAll(async () => {
    host = await start(receiver);
  });
  afterAll(() => host.stop());
  beforeEach(() => {
    for (const list of [handled, rejected, errors]) list.length = 0;
  });

  test.each(eventTypes)('handles an event %s once and responds with 204', async (kind) => {
    const event = sampleEvent(kind);
    const received = await host.send(await signDelivery({ event, ...known }));
    expect(received).toMatchObject({ status: 204, body: '' });
    expect(handled).toEqual([event]);
    expect(rejected).toEqual([]);
  });

  test('passes the headers of the request to the handler, read-only, by name in lower case', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { headers, body } = await signDelivery({ event: sampleEvent('order.created'), ...known });
    await host.send({ body, headers: { ...headers, Traceparent: traceparent, 'X-Own': 'a, b' } });
    const delivery = handle.mock.lastCall?.[1] as ReceivedDelivery;
    expect(delivery.headers).toMatchObject({
      traceparent,
      'x-own': 'a, b',
      'webhook-id': delivery.id,
      'service-signature': delivery.signature,
    });
    expect(delivery.headers.constructor).toBeUndefined();
    expect(Object.isFrozen(delivery.headers)).toBe(true);
    expect(JSON.stringify(delivery)).not.toContain(secret);
  });

  test.each(deliveryEdgeCases)(
    'accepts a delivery that is unusual but valid: %s',
    async (edgeCase) => {
      const received = await host.send(await edgeCaseDelivery(edgeCase, known));
      const isLost = loses.includes(edgeCase);
      expect(received.status).toBe(isLost ? 400 : 204);
      expect(handled).toHaveLength(isLost ? 0 : 1);
    },
  );

  test.each(deliveryFaults)('rejects an invalid delivery: %s', async (fault) => {
    const delivery = await invalidDelivery(fault, { secret, now, maxBytes });
    const { status, body, headers } = await host.send(delivery);
    if (repairs.includes(fault)) {
      expect(status).toBe(204);
      return;
    }
    expect({ status, body }).toEqual({
      status: delivery.expectedStatus,
      body: delivery.expectedCode,
    });
    expect(headers['content-type']).toBe(plainText);
    expect(rejected).toEqual([delivery.expectedCode]);
    expect(handled).toEqual([]);
  });

  test('responds with 501 to an event type without a handler, and says what to add', async () => {
    const event = { event: 'order.exploded', createdAt: '2026-11-21T09:30:00.000Z', data: {} };
    const { status, body } = await host.send(await signDelivery({ event, ...known }));
    expect(status).toBe(501);
    expect(body).toContain('no handler for order.exploded: add it to "on", or set "onUnhandled"');
    expect(handled).toEqual([]);
  });

  test('responds with 500 when the handler throws, and calls onError', async () => {
    const fault = new Error('no database');
    handle.mockRejectedValueOnce(fault);
    const delivery = await signDelivery({ event: sampleEvent('task.completed'), ...known });
    expect(await host.send(delivery)).toMatchObject({ status: 500, body: 'HANDLER_FAILED' });
    expect(errors).toEqual([fault]);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'responds to %s with 405',
    async (method) => {
      const delivery = await signDelivery({ event: sampleEvent('task.completed'), ...known });
      const received = await host.send({ ...delivery, method });
      expect(received).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      expect(handled).toEqual([]);
      expect(rejected).toEqual([]);
    },
  );
});
