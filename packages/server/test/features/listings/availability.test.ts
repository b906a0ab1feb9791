import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createListing,
  type Listing,
  releaseUnits,
  reserveUnits,
} from '../../../src/features/listings/listing';
import { aContext, aListing } from '../../helpers/builders';

const start = { sellerId: 'usr_1', agentId: null };

/** Takes (positive) and gives back (negative) in turn, and tells after each step how many are left and whether low was told. */
function run(
  listing: Listing,
  steps: number[],
): { before: number; after: number; told: boolean }[] {
  let current = listing;
  return steps.map((units) => {
    const before = current.availableQuantity;
    if (units < 0) {
      current = releaseUnits(current, -units);
      return { before, after: current.availableQuantity, told: false };
    }
    const taken = reserveUnits(current, Math.min(units, before));
    current = taken.listing;
    return { before, after: current.availableQuantity, told: taken.crossedLow };
  });
}

describe('a listing that runs low', () => {
  test('is reported once per crossing, and again only after it has risen above its threshold', () => {
    const listing = aListing({ availableQuantity: 12, lowThreshold: 10 });
    const history = run(listing, [2, 1, 3, -3, -1, 1, -1, -1, 1, 1]);
    expect(history.map(({ after, told }) => (told ? `${after} low` : `${after}`))).toEqual([
      '10',
      '9 low',
      '6',
      '9',
      '10',
      '9',
      '10',
      '11',
      '10',
      '9 low',
    ]);
  });

  test('at the threshold itself it is not low', () => {
    expect(reserveUnits(aListing({ availableQuantity: 11, lowThreshold: 10 }), 1).crossedLow).toBe(
      false,
    );
  });

  test('without a threshold it never is', () => {
    expect(reserveUnits(aListing({ availableQuantity: 5, lowThreshold: null }), 5).crossedLow).toBe(
      false,
    );
  });

  test('with a threshold of 0 it never is', () => {
    const listing = createListing({ ...start, availableQuantity: 5, lowThreshold: 0 }, aContext());
    expect(reserveUnits(listing, 5).crossedLow).toBe(false);
  });

  test('one that starts low did not cross', () => {
    const listing = createListing({ ...start, availableQuantity: 5, lowThreshold: 10 }, aContext());
    expect(run(listing, [1, -6, 1]).map(({ told }) => told)).toEqual([false, false, false]);
    expect(run(listing, [-6, 2]).map(({ told }) => told)).toEqual([false, true]);
  });

  test('with any sequence of orders, it is reported at every first fall below the threshold, and never twice without a rise between', () => {
    const units = fc.integer({ min: -30, max: 30 });
    fc.assert(
      fc.property(
        fc.nat({ max: 60 }),
        fc.nat({ max: 60 }),
        fc.array(units, { maxLength: 60 }),
        (availableQuantity, lowThreshold, steps) => {
          const listing = createListing({ ...start, availableQuantity, lowThreshold }, aContext());
          let mayTell = availableQuantity >= lowThreshold;
          for (const { before, after, told } of run(listing, steps)) {
            if (before > lowThreshold && after < lowThreshold) expect(told).toBe(true);
            if (told) {
              expect(before).toBeGreaterThanOrEqual(lowThreshold);
              expect(after).toBeLessThan(lowThreshold);
              expect(mayTell).toBe(true);
              mayTell = false;
            }
            if (after > lowThreshold) mayTell = true;
          }
        },
      ),
    );
  });
});
