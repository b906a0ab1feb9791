import crypto from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyHmacWithNode } from '../../src/webhooks/hmac-node';

/** Any length, and those around a limit. */
const anyLength = (...around: number[]) =>
  fc.oneof(
    fc.nat({ max: 300 }),
    ...around.map((at) => fc.integer({ min: Math.max(0, at - 70), max: at + 70 })),
  );

const anyBody = fc
  .tuple(anyLength(16_384), fc.constantFrom('a', 'ü', '€', '😀', '\ud800'), fc.boolean())
  .map(([length, unit, isText]) => {
    const text = unit.repeat(Math.ceil(length / unit.length));
    return isText ? text : Buffer.from(text);
  });

test('the verifier accepts exactly the HMAC, for messages and keys of any length', () => {
  const verify = verifyHmacWithNode(crypto);
  const anyKey = anyLength(64).chain((size) => fc.uint8Array({ minLength: size, maxLength: size }));
  fc.assert(
    fc.property(
      anyKey.filter((key) => key.length > 0),
      fc.constantFrom('', 'evt_1.1795253400.', 'ü€😀.1.'),
      anyBody,
      fc.constantFrom('hex' as const, 'base64' as const),
      (bytes, head, body, encoding) => {
        const toSecret = (key: Uint8Array) => {
          const base64 = Buffer.from(key).toString('base64');
          return encoding === 'hex' ? base64 : `whsec_${base64}`;
        };
        const secret = toSecret(bytes);
        const other = toSecret(bytes.with(0, 255 - (bytes[0] ?? 0)));
        const signature = crypto
          .createHmac('sha256', encoding === 'hex' ? secret : bytes)
          .update(head)
          .update(body)
          .digest(encoding);
        const check = { secret, head, body, encoding, signature };
        expect(verify(check)).toBe(true);
        expect(verify({ ...check, body: `${body}.` })).toBe(false);
        expect(verify({ ...check, secret: other })).toBe(false);
      },
    ),
    { numRuns: 200 },
  );
});

test('the verifier accepts the signatures of many secrets in turn', () => {
  const verify = verifyHmacWithNode(crypto);
  const secrets = Array.from({ length: 20 }, (_, index) => `whsec_${btoa(`secret ${index}`)}`);
  for (const secret of [...secrets, ...secrets]) {
    for (const encoding of ['hex', 'base64'] as const) {
      const key = encoding === 'hex' ? secret : atob(secret.slice('whsec_'.length));
      const signature = crypto.createHmac('sha256', key).update('body').digest(encoding);
      const check = { head: '', body: 'body', encoding, signature };
      expect(verify({ ...check, secret })).toBe(true);
      expect(verify({ ...check, secret: 'whsec_b3RoZXI=' })).toBe(false);
    }
  }
});
