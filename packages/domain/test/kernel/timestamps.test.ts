import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTimestamp } from '../../src/kernel/context';

it('timestamps are formatted as by Date, in any order of days', () => {
  const year9999 = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  const time = fc.oneof(
    fc.integer({ min: 0, max: year9999 }),
    fc.integer({ min: -86_400_001, max: 86_400_001 }),
    fc.constantFrom(
      0,
      -1,
      86_399_999,
      86_400_000,
      year9999,
      Date.UTC(2024, 1, 29, 23, 59, 59, 999),
    ),
  );
  fc.assert(
    fc.property(fc.array(time), (times) => {
      expect(times.map(formatTimestamp)).toEqual(
        times.map((milliseconds) => new Date(milliseconds).toISOString()),
      );
    }),
  );
});
