import { describe, expect, test, vi } from 'vitest';
import { mockTradepost, sampleEvent } from '../../src/testing/index';
import {
  allEventTypes,
  type EventType,
  isTestEvent,
  verifyDelivery,
} from '../../src/webhooks/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { now } from '../helpers/receiver/limits';
import { anEvent, aRequest, send } from '../helpers/receiver/send';

/** The request of a test event, as the service sends it, and the secret of its webhook. */
async function aTestDelivery(event: EventType = 'order.status_changed') {
  const { client, deliver } = mockTradepost();
  const url = 'https://receiver.example/webhooks';
  const { id = '', secret = '' } = await client.webhooks.create({ url, events: [event] });
  await client.webhooks.test(id, { event });
  let sent: Request | undefined;
  const keep = (request: Request) => {
    sent = request;
    return new Response();
  };
  await deliver(keep, { sentAt: now });
  if (sent === undefined) throw new Error('nothing was sent');
  return { request: sent, secret };
}

/** Sends a request as someone may who captured it: without all headers but the signature of the body. */
function replay({ headers, url, body }: Request): Request {
  const signature = headers.get('Service-Signature') ?? '';
  const init = {
    method: 'POST',
    headers: { 'Service-Signature': signature },
    body,
    duplex: 'half',
  };
  return new Request(url, init as RequestInit);
}

describe('a test event', () => {
  test.each(allEventTypes)(
    'of type %s reaches no handler by default, and gets a 200',
    async (event) => {
      const { request, secret } = await aTestDelivery(event);
      const onUnhandled = vi.fn();
      const dedupe = { claim: vi.fn(), complete: vi.fn(), release: vi.fn() };
      const { receiver, handled, rejected } = aReceiver({ secret, onUnhandled, dedupe });
      const response = await receiver.fetch(request);
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/^TEST: this receiver verified the test event/);
      expect(handled).toEqual([]);
      expect(onUnhandled).not.toHaveBeenCalled();
      expect(dedupe.claim).not.toHaveBeenCalled();
      expect(rejected).toEqual([]);
    },
  );

  test('reaches the handler of a receiver that asks for it, and says that it is a test', async () => {
    const { request, secret } = await aTestDelivery();
    const { receiver, handle } = aReceiver({ secret, test: 'deliver' });
    expect((await receiver.fetch(request)).status).toBe(204);
    expect(handle).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ event: 'order.status_changed' }),
      expect.objectContaining({ test: true }),
    );
  });

  test('stays one when a captured request is sent again without its headers', async () => {
    const { request, secret } = await aTestDelivery();
    const { receiver, handled } = aReceiver({ secret });
    expect((await receiver.fetch(replay(request))).status).toBe(200);
    expect(handled).toEqual([]);
  });

  test('whose signature does not match is rejected like any other', async () => {
    const { request } = await aTestDelivery();
    const { receiver, handled } = aReceiver();
    expect((await receiver.fetch(request)).status).toBe(400);
    expect(handled).toEqual([]);
  });

  test('is known to verifyDelivery and isTestEvent', async () => {
    const { request, secret } = await aTestDelivery();
    const delivery = await verifyDelivery({ payload: request, secret, now });
    expect(delivery.test).toBe(true);
    expect(isTestEvent(delivery.event)).toBe(true);
    expect(delivery.id).toMatch(/^evt_[0-9A-Z]{26}$/);
  });
});

describe('a real event', () => {
  test('does not become a test by a header that was added', async () => {
    const { receiver, handled, handle } = aReceiver();
    const request = await aRequest();
    request.headers.set('Tradepost-Test', 'true');
    expect((await receiver.fetch(request)).status).toBe(204);
    expect(handled).toEqual([anEvent]);
    expect(handle.mock.lastCall?.[1].test).toBe(false);
  });

  test.each([
    ['a reason', sampleEvent('order.status_changed', { data: { reason: 'ord_TradepostTest1' } })],
    ['its listing', sampleEvent('order.created', { data: { listingId: 'lst_TradepostTest1' } })],
    [
      'an inner part of an ID',
      sampleEvent('order.created', { data: { orderId: 'ord_1TradepostTest' } }),
    ],
  ])('does not become a test by %s', async (_, event) => {
    const { receiver, handled } = aReceiver();
    expect((await send(receiver, { event })).status).toBe(204);
    expect(handled).toEqual([event]);
  });

  test.each([{}, { orderId: null }, { orderId: 5 }, { orderId: { toString: 'x' } }])(
    'of an unknown type with the data %j is not a test',
    (data) => {
      expect(isTestEvent({ event: 'order.exploded', createdAt: '', data } as never)).toBe(false);
    },
  );
});
