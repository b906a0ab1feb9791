import { describe, expect, test } from 'vitest';
import { deliveryHeaders } from '../../src/deliveries/delivery-headers';
import { signBody, signStandard } from '../../src/deliveries/sign';
import { version } from '../../src/version';
import { aClaimedDelivery, noon } from '../builders';
import { answer, Receiver } from '../receiver';
import { openSender, sendTo } from './sender-rig';

describe('an attempt', () => {
  test('posts the bytes of the event, signed, to the whole URL', async () => {
    const receiver = await Receiver.open(answer(200, {}, 'thanks'));
    const body = '{"event":"order.created","data":{"name":"Café — 港 🚢"}}';
    const delivery = aClaimedDelivery({ url: `${receiver.origin}/a/b?c=d&e=%20`, body });
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
      duration: expect.any(Number),
      url: delivery.url,
      headers: deliveryHeaders(delivery, noon),
      status: 200,
      error: null,
      excerpt: 'thanks',
      retryAfter: null,
    });
    expect(attempt.duration).toBeGreaterThanOrEqual(0);
  });

  test.each([200, 201, 202, 204, 299, 304, 400, 404, 410, 500, 503])(
    'tells a status of %i as it is',
    async (status) => {
      const { attempt } = await sendTo(answer(status));
      expect(attempt).toMatchObject({ status, error: null });
    },
  );

  test.each([301, 302, 303, 307, 308])('does not follow a redirect of %i', async (status) => {
    const elsewhere = await Receiver.open(answer(200));
    const { attempt } = await sendTo(answer(status, { Location: `${elsewhere.origin}/` }));
    expect(attempt).toMatchObject({ status, error: null });
    expect(elsewhere.count).toBe(0);
  });

  test('sends no credentials that stand in the URL', async () => {
    const receiver = await Receiver.open(answer(200));
    const url = receiver.origin.replace('//', '//user:pass@');
    expect(await openSender().send(aClaimedDelivery({ url }))).toMatchObject({ status: 200 });
    const { headers } = await receiver.next();
    expect(headers.authorization).toBeUndefined();
    expect(headers.host).toBe(new URL(url).host);
  });

  test('marks a sample', async () => {
    const receiver = await Receiver.open(answer(200));
    await openSender().send(aClaimedDelivery({ url: receiver.origin, test: true }));
    expect((await receiver.next()).headers['tradepost-test']).toBe('true');
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %i is kept, in milliseconds', async (status) => {
    const { attempt } = await sendTo(answer(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBe(120_000);
  });

  test('may be a date, which is held against the clock', async () => {
    const at = new Date(noon + 30_000).toUTCString();
    const { attempt } = await sendTo(answer(503, { 'Retry-After': at }));
    expect(attempt.retryAfter).toBe(30_000);
  });

  test.each([200, 301, 404, 500])('of a %i is left aside', async (status) => {
    const { attempt } = await sendTo(answer(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBeNull();
  });

  test('that makes no sense is left aside', async () => {
    const { attempt } = await sendTo(answer(503, { 'Retry-After': 'in a while' }));
    expect(attempt.retryAfter).toBeNull();
  });
});
