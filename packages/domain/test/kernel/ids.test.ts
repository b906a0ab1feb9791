import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIdGenerator, smallestIdAt } from '../../src/kernel/context';
import { noon } from '../helpers/builders';

describe('the id generator', () => {
  test('creates IDs with a prefix and 26 characters that are safe in a URL', () => {
    expect(createIdGenerator()('ord', noon)).toMatch(/^ord_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  test('sorts IDs of a later time after those of an earlier one, also across generators', () => {
    // ulid reads the system clock for a time of 0.
    const time = fc.integer({ min: 1, max: Date.parse('9999-12-31') });
    fc.assert(
      fc.property(time, time, (one, other) => {
        fc.pre(one !== other);
        const [earlier, later] = one < other ? [one, other] : [other, one];
        expect(createIdGenerator()('ord', earlier) < createIdGenerator()('ord', later)).toBe(true);
      }),
    );
  });

  test('never repeats an ID nor decreases, even when the clock stands still or is set back', () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -3_600_000, max: 1_000 })), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (moves) => {
        const newId = createIdGenerator();
        let now = noon;
        const ids = moves.map((move) => {
          now += move;
          return newId('evt', now);
        });
        expect(ids).toEqual([...new Set(ids)].sort());
      }),
    );
  });

  test('creates a hundred thousand different, sorted IDs in one millisecond', () => {
    const newId = createIdGenerator();
    const ids = Array.from({ length: 100_000 }, () => newId('ord', noon));
    for (let index = 1; index < ids.length; index += 1) {
      if ((ids[index - 1] ?? '') >= (ids[index] ?? '')) throw new Error(`ids go back at ${index}`);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('does not create the same ID as another generator in one millisecond', () => {
    const generators = Array.from({ length: 100 }, () => createIdGenerator());
    expect(new Set(generators.map((newId) => newId('ord', noon))).size).toBe(100);
  });

  test('creates the same IDs from the same random numbers, including the lowest and the highest', () => {
    for (const random of [() => 0, () => 0.5, () => 1 - 2 ** -32]) {
      expect(createIdGenerator(random)('ord', noon)).toBe(createIdGenerator(random)('ord', noon));
      expect(createIdGenerator(random)('ord', noon)).toMatch(/^ord_[0-9A-HJKMNP-TV-Z]{26}$/);
    }
  });

  test('has a floor for a time below every ID from then on, and above every older one', () => {
    const time = fc.integer({ min: 1, max: Date.parse('9999-12-31') });
    fc.assert(
      fc.property(time, time, (floor, now) => {
        expect(createIdGenerator()('evt', now) > smallestIdAt('evt', floor)).toBe(now >= floor);
      }),
    );
    expect(createIdGenerator()('evt', noon) > smallestIdAt('evt', noon)).toBe(true);
    expect(createIdGenerator()('evt', noon - 1) > smallestIdAt('evt', noon)).toBe(false);
    expect(smallestIdAt('evt', -1)).toBe(smallestIdAt('evt', 0));
  });
});
