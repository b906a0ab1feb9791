import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/output/redact';

const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6';

describe('redaction', () => {
  it('removes the key from any JSON value, and keeps its shape', () => {
    const redact = createRedactor(key);
    const text = fc.oneof(
      fc.string(),
      fc.tuple(fc.string(), fc.string()).map(([before, after]) => before + key + after),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(JSON.stringify(redact(given))).not.toContain(key);
      }),
    );
  });

  it.each([
    'authorization',
    'Cookie',
    'set-cookie',
    'x-api-key',
    'apiKey',
    'clientSecret',
    'secrets',
  ])('removes everything below %s, from a value and from truncated text', (name) => {
    const redact = createRedactor(null);
    const value = { [name]: 'hidden' };
    expect(redact({ ...value, deep: { [name]: ['hidden', { a: 'hidden' }] } })).toEqual({
      [name]: '[redacted]',
      deep: { [name]: ['[redacted]', { a: '[redacted]' }] },
    });
    if (name === 'secrets') return;
    expect(redact(`${JSON.stringify(value)}…`)).toBe(`{"${name}":"[redacted]"}…`);
    expect(redact(`{"${name}" : "hidd`)).toBe(`{"${name}" : "[redacted]`);
  });

  it('changes nothing else', () => {
    const value = { 'idempotency-key': 'a', nextCursor: 'b', secretly: 'c', at: 1, list: [true] };
    expect(createRedactor(key)(value)).toEqual(value);
  });
});
