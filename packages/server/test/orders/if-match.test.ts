import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { etagOf, matchesEtag } from '../../src/orders/order';
import { anOrder } from '../builders';

const order = anOrder({ version: 12 });

describe('If-Match', () => {
  test.each(['"12"', '*', ' "12" ', '"11", "12"', '"11","12","13"', '"a", "12"', '\t"12"\t,"1"'])(
    '%j matches version 12',
    (ifMatch) => {
      expect(matchesEtag(order, ifMatch)).toBe(true);
    },
  );

  test.each([
    '"1"',
    '"2"',
    '"123"',
    '"012"',
    '12',
    "'12'",
    'W/"12"',
    'w/"12"',
    '"11", W/"12"',
    '"11,12"',
    '"11 12"',
    '" 12"',
    '"12',
    '12"',
    '"*"',
    '',
    ',',
    '"12";',
  ])('%j does not match version 12', (ifMatch) => {
    expect(matchesEtag(order, ifMatch)).toBe(false);
  });

  test("an order's own tag matches it, whatever stands beside it, and never the tag of another version", () => {
    const version = fc.integer({ min: 1, max: 1_000_000 });
    const others = fc.array(fc.string().map((text) => `"${text.replaceAll(/[",]/g, '')}"`));
    fc.assert(
      fc.property(version, version, others, (one, other, beside) => {
        const tag = etagOf(anOrder({ version: one }));
        expect(matchesEtag(anOrder({ version: one }), [...beside, tag].join(', '))).toBe(true);
        expect(matchesEtag(anOrder({ version: other }), tag)).toBe(one === other);
      }),
    );
  });

  test('a header of any text at all is answered', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(typeof matchesEtag(order, text)).toBe('boolean');
      }),
    );
  });
});
