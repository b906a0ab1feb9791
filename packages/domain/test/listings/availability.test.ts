import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createListing,
  type Listing,
  releaseUnits,
  reserveUnits,
  updateListing,
} from '../../src/listings/listing';
import { aContext, aListing } from '../helpers/builders';

const start = { sellerId: 'usr_1', agentId: null };

/** Reserves (positive) and releases (negative) units in turn. Returns the units before and after each step, and whether low stock was notified. */
function run(
  listing: Listing,
  steps: number[],
): { before: number; after: number; notified: boolean }[] {
  let current = listing;
  return steps.map((units) => {
    const before = current.availableQuantity;
    if (units < 0) {
      current = releaseUnits(current, -units);
      return { before, after: current.availableQuantity, notified: false };
    }
    const taken = reserveUnits(current, Math.min(units, before));
    current = taken.listing;
    return { before, after: current.availableQuantity, notified: taken.crossedLow };
  });
}

describe('when a listing runs low,', () => {
  test('it is reported once per crossing, and again only after it has risen above its threshold', () => {
    const listing = aListing({ availableQuantity: 12, lowThreshold: 10 });
    const history = run(listing, [2, 1, 3, -3, -1, 1, -1, -1, 1, 1]);
    expect(history.map(({ after, notified }) => (notified ? `${after} low` : `${after}`))).toEqual([
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

  test('it is not low at the threshold itself', () => {
    expect(reserveUnits(aListing({ availableQuantity: 11, lowThreshold: 10 }), 1).crossedLow).toBe(
      false,
    );
  });

  test('it is never reported without a threshold', () => {
    expect(reserveUnits(aListing({ availableQuantity: 5, lowThreshold: null }), 5).crossedLow).toBe(
      false,
    );
  });

  test('it is never reported with a threshold of 0', () => {
    const listing = createListing({ ...start, availableQuantity: 5, lowThreshold: 0 }, aContext());
    expect(reserveUnits(listing, 5).crossedLow).toBe(false);
  });

  test('it is not reported if it starts low', () => {
    const listing = createListing({ ...start, availableQuantity: 5, lowThreshold: 10 }, aContext());
    expect(run(listing, [1, -6, 1]).map(({ notified }) => notified)).toEqual([false, false, false]);
    expect(run(listing, [-6, 2]).map(({ notified }) => notified)).toEqual([false, true]);
  });

  test('any sequence of orders reports it at every first fall below the threshold, and never twice without a rise between', () => {
    const units = fc.integer({ min: -30, max: 30 });
    fc.assert(
      fc.property(
        fc.nat({ max: 60 }),
        fc.nat({ max: 60 }),
        fc.array(units, { maxLength: 60 }),
        (availableQuantity, lowThreshold, steps) => {
          const listing = createListing({ ...start, availableQuantity, lowThreshold }, aContext());
          let mayNotify = availableQuantity >= lowThreshold;
          for (const { before, after, notified } of run(listing, steps)) {
            if (before > lowThreshold && after < lowThreshold) expect(notified).toBe(true);
            if (notified) {
              expect(before).toBeGreaterThanOrEqual(lowThreshold);
              expect(after).toBeLessThan(lowThreshold);
              expect(mayNotify).toBe(true);
              mayNotify = false;
            }
            if (after > lowThreshold) mayNotify = true;
          }
        },
      ),
    );
  });
});

describe('an update of a listing', () => {
  const listing = aListing({ availableQuantity: 20, lowThreshold: 10 });
  const low = { ...listing, availableQuantity: 4, lowStockNotified: true };

  test('changes what it names and nothing else', () => {
    expect(updateListing(listing, {})).toEqual(listing);
    expect(updateListing(listing, { agentId: null })).toEqual({ ...listing, agentId: null });
    expect(updateListing(listing, { availableQuantity: 30, addedUnits: 2 })).toEqual({
      ...listing,
      availableQuantity: 32,
    });
  });

  test.each([
    ['a lower quantity', listing, { availableQuantity: 9 }, true],
    ['a higher threshold', listing, { lowThreshold: 21 }, true],
    ['more units above the threshold', low, { addedUnits: 7 }, false],
    ['a lower threshold', low, { lowThreshold: 3 }, false],
    ['no threshold', low, { lowThreshold: null }, false],
    ['a threshold of 0', low, { lowThreshold: 0 }, false],
    ['exactly the threshold, while low,', low, { addedUnits: 6 }, true],
    ['exactly the threshold, while not low,', listing, { availableQuantity: 10 }, false],
  ])('with %s sets whether the listing is low', (_what, before, changes, isLow) => {
    expect(updateListing(before, changes).lowStockNotified).toBe(isLow);
  });

  test('that leaves the listing low is not reported by the next order, but a later crossing is', () => {
    const updated = updateListing(listing, { availableQuantity: 9 });
    expect(reserveUnits(updated, 1).crossedLow).toBe(false);
    const restocked = updateListing(updated, { addedUnits: 10 });
    expect(reserveUnits(restocked, 10).crossedLow).toBe(true);
  });
});
