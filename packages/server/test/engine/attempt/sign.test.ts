import { createHmac } from 'node:crypto';
import { noon } from '@tradepost/domain/test/builders';
import { createEndpointSecret } from '@tradepost/domain/webhooks/webhook';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signBody, signStandard } from '../../../src/engine/attempt/delivery-headers';

// The expected values were computed with openssl: dgst -sha256 -hmac, and -macopt hexkey.
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const body =
  '{"event":"order.status_changed","createdAt":"2026-11-21T12:00:00.000Z","data":{"orderId":"ord_1","previousStatus":"pending","status":"fulfilling"}}';
const bodySignature = '943f135f86ee765b02fd17fb24857aa958a5c430f532884edc900f1fe0953359';
const standardSignature = 'v1,RdtPC9RSsb7tIjzEl2C6MctSf0HidsvjhYEJB0DmrGY=';
const otherScripts = '{"name":"Café — 港 🚢"}';

describe('for signatures', () => {
  test('Service-Signature is the lowercase hex HMAC-SHA256 of the body, keyed with the whole secret', () => {
    expect(signBody(secret, body)).toBe(bodySignature);
  });

  test('a body is signed as its UTF-8 bytes', () => {
    expect(signBody(secret, otherScripts)).toBe(
      '55d0c6f612e94e686cd9c4ef7552292b90f7c53e31f7d9c2ef82a6afd7671915',
    );
    expect(signStandard(secret, 'evt_2', noon / 1_000, otherScripts)).toBe(
      'v1,TJHsAzvDAwhO0lcXG7LqIi+XYaasgBCwuVm/mYm4Z0U=',
    );
  });

  test('webhook-signature covers id, time and body, keyed with the bytes after whsec_', () => {
    expect(signStandard(secret, 'evt_1', noon / 1_000, body)).toBe(standardSignature);
  });

  test('any secret and body have the result of node:crypto for the same bytes', () => {
    const texts = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(texts, fc.nat({ max: 2 ** 40 }), (text, seconds) => {
        const own = createEndpointSecret();
        const bytes = Buffer.from(text);
        const hex = createHmac('sha256', Buffer.from(own)).update(bytes).digest('hex');
        expect(signBody(own, text)).toBe(hex);
        const key = Buffer.from(own.replace('whsec_', ''), 'base64');
        expect(key).toHaveLength(32);
        const signed = Buffer.concat([Buffer.from(`evt_9.${seconds}.`), bytes]);
        const base64 = createHmac('sha256', key).update(signed).digest('base64');
        expect(signStandard(own, 'evt_9', seconds, text)).toBe(`v1,${base64}`);
      }),
    );
  });

  test('another secret, or one more byte, changes the signature', () => {
    expect(signBody(createEndpointSecret(), body)).not.toBe(bodySignature);
    expect(signBody(secret, `${body}\n`)).not.toBe(bodySignature);
  });
});
