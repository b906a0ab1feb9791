import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sampleEvent, exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { verifyDelivery } from '../../src/webhooks/index';

const event = sampleEvent('order.created');
const sentAt = Date.parse('2026-11-21T09:30:00.999Z');

describe('signDelivery', () => {
  test('computes both signatures, with the headers of the service', async () => {
    const { body, headers } = await signDelivery({ event, secret, id: 'evt_1', sentAt });
    const text = JSON.stringify(event);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const standard = createHmac('sha256', key).update(`evt_1.1795253400.${text}`).digest('base64');
    expect(Buffer.from(body).toString()).toBe(text);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Service-Signature': createHmac('sha256', secret).update(text).digest('hex'),
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795253400',
      'webhook-signature': `v1,${standard}`,
    });
  });

  test('signs only Service-Signature, with any secret, for a service without extensions', async () => {
    const plain = 'correct horse ✓';
    const { headers } = await signDelivery({ event, secret: plain, standard: false });
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Service-Signature': createHmac('sha256', plain).update(JSON.stringify(event)).digest('hex'),
    });
  });

  test('signs any bytes and any text unchanged, and copies the bytes', async () => {
    const bytes = Uint8Array.of(0xff, 0, 1);
    const delivery = await signDelivery({ body: bytes, secret });
    bytes.fill(0);
    expect(delivery.body).toEqual(Uint8Array.of(0xff, 0, 1));
    expect((await signDelivery({ body: 'ü', secret })).body).toEqual(Uint8Array.of(0xc3, 0xbc));
    expect((await signDelivery({ body: '', secret })).body).toHaveLength(0);
  });

  test('signs with the current time and a random ID by default', async () => {
    const [one, other] = [
      await signDelivery({ event, secret }),
      await signDelivery({ event, secret }),
    ];
    const { id, sentAt: signed } = await verifyDelivery({
      payload: one.body,
      headers: one.headers,
      secret,
    });
    expect(id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(Math.abs(Date.now() - Number(signed))).toBeLessThan(60_000);
    expect(other.headers['webhook-id']).not.toBe(id);
  });

  test('returns a Request and the arguments of fetch, as often as requested', async () => {
    const delivery = await signDelivery({ event, secret, sentAt: new Date(sentAt) });
    for (const url of ['https://receiver.example/a', new URL('https://receiver.example/a')]) {
      const request = delivery.toRequest(url);
      expect(request.method).toBe('POST');
      expect(request.url).toBe('https://receiver.example/a');
      expect(await verifyDelivery({ payload: request, secret, now: sentAt })).toMatchObject({
        event,
      });
    }
    expect(await new Request('https://receiver.example', delivery.init).json()).toEqual(event);
  });

  test.each(['not base64!', 'whsec_'])(
    'throws a helpful error when the secret is %s',
    async (bad) => {
      const signing = signDelivery({ event, secret: bad });
      await expect(signing).rejects.toThrow(TypeError);
      await expect(signing).rejects.toThrow('set standard to false');
    },
  );

  test('throws a helpful error without a secret', async () => {
    const signing = signDelivery({ event, secret: '', standard: false });
    await expect(signing).rejects.toThrow('secret is empty: pass a secret such as exampleSecret');
  });
});
