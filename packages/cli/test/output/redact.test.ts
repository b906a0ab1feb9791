import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../src/output/redact';

const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8gH5jK';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/A=';

describe('displayed text', () => {
  it.each([
    [key, 'tpk_…'],
    [secret, 'whsec_…'],
    [
      `error: '${key}' is invalid for argument 'id'.`,
      "error: 'tpk_…' is invalid for argument 'id'.",
    ],
    [`${key},${key} and ${secret}`, 'tpk_…,tpk_… and whsec_…'],
    [`/v1/orders/ord_${encodeURIComponent(secret)}`, '/v1/orders/ord_whsec_…'],
    ["argument 'http//u:p/w@h' is invalid", "argument 'http//…@h' is invalid"],
    ['https://u:p@h.example/x and u:p%20@h', 'https://…@h.example/x and …@h'],
    ['https://receiver.example/@me and a: b@c', 'https://receiver.example/@me and a: b@c'],
    [JSON.stringify({ a: `\n${key}`, b: 1 }), String.raw`{"a":"\ntpk_…","b":1}`],
  ])('%j contains no key and no secret', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
  });

  it.each(['tpk_…', 'whsec_…', 'tpk_test', 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH', 'tpk_ and whsec_'])(
    'stays %j, which gives nothing away',
    (text) => {
      expect(redactSecrets(text)).toBe(text);
    },
  );

  it('is still JSON if it was, whatever it contains', () => {
    const anyText = fc
      .array(fc.oneof(fc.constantFrom(key, secret), fc.string()))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(anyText, (text) => {
        const redacted: string = JSON.parse(redactSecrets(JSON.stringify(text)));
        expect(redacted).not.toContain(key.slice(0, 12));
        expect(redacted).not.toContain(secret.slice(0, 14));
      }),
    );
  });
});
