import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatEtag, ifMatchSatisfied } from '../../src/orders/order';
import { anOrderRecord } from '../helpers/builders';

const order = anOrderRecord({ version: 12 });

describe('in If-Match', () => {
  test.each(['"12"', '*', ' "12" ', '"11", "12"', '"11","12","13"', '"a", "12"', '\t"12"\t,"1"'])(
    '%j matches version 12',
    (ifMatch) => {
      expect(ifMatchSatisfied(order, ifMatch)).toBe(true);
    },
  );

  // nginx, Apache, Jetty and others, when they compress the response that had the tag.
  test.each([
    'W/"12"',
    '"11", W/"12"',
    'W/"12", "12"',
    '"12-gzip"',
    '"12;gzip"',
    '"12--gzip"',
    '"12-br"',
    'W/"12-zstd"',
  ])('%j, which a proxy made of the tag, matches version 12', (ifMatch) => {
    expect(ifMatchSatisfied(order, ifMatch)).toBe(true);
  });

  test.each([
    '"1"',
    '"2"',
    '"123"',
    '"012"',
    '12',
    "'12'",
    'W/"1"',
    'w/"12"',
    '"12-1"',
    '"12-"',
    '"12gzip"',
    '"-gzip"',
    '"1-gzip"',
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
    expect(ifMatchSatisfied(order, ifMatch)).toBe(false);
  });

  test("an order's own tag matches it, whatever else is in the header, and the tag of another version never does", () => {
    const version = fc.integer({ min: 1, max: 1_000_000 });
    const others = fc.array(fc.string().map((text) => `"${text.replaceAll(/[",]/g, '')}"`));
    fc.assert(
      fc.property(version, version, others, (one, other, beside) => {
        const tag = formatEtag(anOrderRecord({ version: one }));
        expect(ifMatchSatisfied(anOrderRecord({ version: one }), [...beside, tag].join(', '))).toBe(
          true,
        );
        expect(ifMatchSatisfied(anOrderRecord({ version: other }), tag)).toBe(one === other);
      }),
    );
  });

  test('any text has a result', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(typeof ifMatchSatisfied(order, text)).toBe('boolean');
      }),
    );
  });
});
