import crypto from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NodeCrypto, verifyHmacWithNode } from '../../src/webhooks/hmac-node';

/** A runtime whose crypto cannot hash in one call, such as older versions of Bun and Deno. */
const { hash: _, ...withoutHash } = crypto;

const runtimes = { 'with hash': crypto, 'without hash': withoutHash as NodeCrypto };

/** Lengths around those at which the computation changes: the block of SHA-256, and the longest copied message. */
const anyLength = (...around: number[]) =>
  fc.oneof(
    fc.nat({ max: 300 }),
    ...around.map((at) => fc.integer({ min: Math.max(0, at - 70), max: at + 70 })),
  );

const anyBody = fc
  .tuple(anyLength(5_461, 16_384), fc.constantFrom('a', 'ü', '€', '😀', '\ud800'), fc.boolean())
  .map(([length, unit, isText]) => {
    const text = unit.repeat(Math.ceil(length / unit.length));
    return isText ? text : Buffer.from(text);
  });

test.each(['with hash', 'without hash'] as const)(
  'the verifier accepts exactly the signature of createHmac, for messages and keys of any length, %s',
  (runtime) => {
    const verify = verifyHmacWithNode(runtimes[runtime]);
    const anyKey = anyLength(64).chain((size) =>
      fc.uint8Array({ minLength: size, maxLength: size }),
    );
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
      { numRuns: 500 },
    );
  },
);

test('the verifier accepts a short message after a long one, and one secret after another', () => {
  const verify = verifyHmacWithNode(crypto);
  for (const [secret, length] of [
    ['one', 5_000],
    ['one', 10],
    ['two', 10],
    ['one', 11],
  ] as const) {
    const body = 'x'.repeat(length);
    const signature = crypto.createHmac('sha256', secret).update(body).digest('hex');
    expect(verify({ secret, head: '', body, encoding: 'hex', signature })).toBe(true);
  }
});
