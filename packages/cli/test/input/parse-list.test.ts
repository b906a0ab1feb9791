import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidArgument } from '../../src/errors/cli-error';
import { integerParser, listParser } from '../../src/input/options';

const kinds = ['order.created', 'order.status_changed', 'task.completed'] as const;
const parseKinds = listParser(kinds, 'event type');

describe('a list of names', () => {
  it('has each name once, in the given order, with or without spaces', () => {
    const spaces = fc.constantFrom('', ' ', '  ');
    const name = fc.tuple(spaces, fc.constantFrom(...kinds), spaces);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        const text = names.map((parts) => parts.join('')).join(',');
        expect(parseKinds(text)).toEqual([...new Set(names.map(([, kind]) => kind))]);
      }),
    );
  });

  it.each(['', 'order', 'order.created,', ',order.created', 'ORDER.CREATED', 'constructor'])(
    '%j is rejected, with the valid names',
    (text) => {
      expect(() => parseKinds(text)).toThrow(InvalidArgument);
      expect(() => parseKinds(text)).toThrow(
        /^(Invalid event type '.*'\. )?Use: order\.created, order\.status_changed, task\.completed\.$/,
      );
    },
  );
});

describe('one of several names that is invalid', () => {
  it('is named, and one alone is not repeated', () => {
    expect(() => parseKinds('order.created,order')).toThrow(/^Invalid event type 'order'\. Use: /);
    expect(() => parseKinds('order')).toThrow(/^Use: /);
  });
});

describe('a whole number', () => {
  it('is read when it is within its bounds, both included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), (number) => {
        expect(integerParser(1, 32)(String(number))).toBe(number);
        expect(integerParser(1, 32)(`0${number}`)).toBe(number);
      }),
    );
    expect(integerParser(1, 999_999_999)('999999999')).toBe(999_999_999);
  });

  it.each(['', ' ', '0', '33', '-1', '+1', '1.0', '1e1', '0x1', '1 ', '1_0', '٣', 'Infinity'])(
    '%j is rejected, with the bounds',
    (text) => {
      expect(() => integerParser(1, 32)(text)).toThrow('Use an integer from 1 to 32.');
    },
  );

  it('names the upper bound if the value is above it, and otherwise only if it has a meaning', () => {
    const parse = integerParser(1, 999_999_999);
    expect(() => parse('0')).toThrow(/of at least 1\.$/);
    expect(() => parse('1000000000')).toThrow(/from 1 to 999999999\.$/);
    expect(() => parse('9'.repeat(400))).toThrow(/from 1 to 999999999\.$/);
  });
});
