import { aLeasedDelivery, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import {
  deliveryHeaders,
  signBody,
  signStandard,
} from '../../../src/engine/attempt/delivery-headers';
import { version } from '../../../src/kernel/version';
import { Receiver, respond } from '../../helpers/receiver';
import { openSender, sendTo } from './sender-harness';

describe('an attempt', () => {
  test('posts the bytes of the event, signed, to the whole URL', async () => {
    const receiver = await Receiver.open(respond(200, {}, 'thanks'));
    const body = '{"event":"order.created","data":{"name":"Café — 港 🚢"}}';
    const delivery = aLeasedDelivery({ url: `${receiver.origin}/a/b?c=d&e=%20`, body });
    const attempt = await openSender().send(delivery);
    const { headers, ...received } = await receiver.next();
    expect(received).toEqual({ method: 'POST', path: '/a/b?c=d&e=%20', body: Buffer.from(body) });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': `Tradepost/${version}`,
      'service-signature': signBody(delivery.secret, body),
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(noon / 1_000),
      'webhook-signature': signStandard(delivery.secret, delivery.eventId, noon / 1_000, body),
    });
    expect(Object.keys(headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
      'service-signature',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
    expect(attempt).toEqual({
      startedAt: noon,
      durationMs: expect.any(Number),
      url: delivery.url,
      headers: deliveryHeaders(delivery, noon),
      status: 200,
      error: null,
      responseSnippet: 'thanks',
      retryAfter: null,
    });
    expect(attempt.durationMs).toBeGreaterThanOrEqual(0);
  });

  test.each([200, 201, 202, 204, 299, 304, 400, 404, 410, 500, 503])(
    'reports a status of %i',
    async (status) => {
      const { attempt } = await sendTo(respond(status));
      expect(attempt).toMatchObject({ status, error: null });
    },
  );

  test.each([301, 302, 303, 307, 308])('does not follow a redirect of %i', async (status) => {
    const elsewhere = await Receiver.open(respond(200));
    const { attempt } = await sendTo(respond(status, { Location: `${elsewhere.origin}/` }));
    expect(attempt).toMatchObject({ status, error: null });
    expect(elsewhere.count).toBe(0);
  });

  test('sends no credentials of the URL', async () => {
    const receiver = await Receiver.open(respond(200));
    const url = receiver.origin.replace('//', '//user:pass@');
    expect(await openSender().send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
    const { headers } = await receiver.next();
    expect(headers.authorization).toBeUndefined();
    expect(headers.host).toBe(new URL(url).host);
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %i is kept, in milliseconds', async (status) => {
    const { attempt } = await sendTo(respond(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBe(120_000);
  });

  test('may be a date, which is compared with the clock', async () => {
    const at = new Date(noon + 30_000).toUTCString();
    const { attempt } = await sendTo(respond(503, { 'Retry-After': at }));
    expect(attempt.retryAfter).toBe(30_000);
  });

  test.each([200, 301, 404, 500])('of a %i is ignored', async (status) => {
    const { attempt } = await sendTo(respond(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBeNull();
  });

  test('that is invalid is ignored', async () => {
    const { attempt } = await sendTo(respond(503, { 'Retry-After': 'in a while' }));
    expect(attempt.retryAfter).toBeNull();
  });
});
