import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aDelivery, anEvent, secret, serviceSignature } from '../helpers/a-delivery';
import { verdict, verifiers } from '../helpers/verifiers';

/** Flips one bit of a byte sequence. */
function flip(bytes: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % flipped.length;
  flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit % 8));
  return flipped;
}

const anyBit = fc.nat({ max: 100_000 });

describe.each(verifiers)('%s', (_, verify) => {
  test('accepts exactly the signature of createHmac, for any bytes and any secret', async () => {
    const anySecret = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !!text.trim());
    const anySignature = fc.oneof(
      fc.constant('right' as const),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), anySecret, anySignature, async (payload, key, given) => {
        const right = createHmac('sha256', key).update(payload).digest('hex');
        const signature = given === 'right' ? right : given;
        const code = await verdict(verify({ payload, signature, secret: key }));
        const signed = ['accepted', 'MALFORMED_BODY', 'MISSING_EVENT'].includes(code);
        expect(signed).toBe(signature === right);
      }),
      { numRuns: 500 },
    );
  });

  test('returns the event of any signed envelope', async () => {
    const anyEnvelope = fc.record({
      event: fc.string({ unit: 'grapheme', minLength: 1 }),
      createdAt: fc.string(),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    await fc.assert(
      fc.asyncProperty(anyEnvelope, async (envelope) => {
        const body = JSON.parse(JSON.stringify(envelope));
        expect(await verify({ ...aDelivery({ body }), secret })).toEqual(body);
      }),
    );
  });

  test('rejects a body with any bit flipped', async () => {
    const { payload, headers } = aDelivery();
    await fc.assert(
      fc.asyncProperty(anyBit, async (bit) => {
        const tampered = { payload: flip(payload, bit), headers, secret };
        expect(await verdict(verify(tampered))).toBe('SIGNATURE_MISMATCH');
      }),
      { numRuns: 300 },
    );
  });

  test('rejects a truncated or extended body', async () => {
    const { payload, headers } = aDelivery();
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: payload.length - 1 }),
        fc.uint8Array({ minLength: 1 }),
        async (at, more) => {
          const cut = { payload: payload.subarray(0, at), headers, secret };
          const longer = { payload: Buffer.concat([payload, more]), headers, secret };
          expect(await verdict(verify(cut))).toBe('SIGNATURE_MISMATCH');
          expect(await verdict(verify(longer))).toBe('SIGNATURE_MISMATCH');
        },
      ),
    );
  });

  test.each(['service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'rejects a delivery with any bit of %s flipped',
    async (name) => {
      const { payload, headers } = aDelivery();
      await fc.assert(
        fc.asyncProperty(anyBit, async (bit) => {
          const value = flip(Buffer.from(headers[name] ?? ''), bit).toString('latin1');
          const tampered = { payload, headers: { ...headers, [name]: value }, secret };
          expect(await verdict(verify(tampered))).not.toBe('accepted');
        }),
        { numRuns: 300 },
      );
    },
  );

  test('rejects a delivery when any bit of the secret differs', async () => {
    const delivery = aDelivery();
    await fc.assert(
      fc.asyncProperty(anyBit, async (bit) => {
        const other = flip(Buffer.from(secret), bit).toString('latin1');
        expect(await verdict(verify({ ...delivery, secret: other }))).toBe('SIGNATURE_MISMATCH');
      }),
      { numRuns: 300 },
    );
  });

  test('fails only with its own codes, for any headers', async () => {
    const payload = Buffer.from(JSON.stringify(anEvent));
    const names = [
      'Service-Signature',
      'webhook-id',
      'Webhook-Timestamp',
      'webhook-signature',
      'get',
    ];
    const anyValue = fc.oneof(
      fc.string(),
      fc.array(fc.string()),
      fc.constant(undefined),
      fc.constant(serviceSignature(payload)),
      fc.constantFrom('1763717400', 'v1,', 'v1,====', `v1,${'A'.repeat(43)}=`),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), anyValue), async (headers) => {
        const code = await verdict(verify({ payload, headers, secret }));
        if (code === 'accepted') {
          expect(`${headers['Webhook-Timestamp'] ?? ''}${headers['webhook-signature'] ?? ''}`).toBe(
            '',
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
