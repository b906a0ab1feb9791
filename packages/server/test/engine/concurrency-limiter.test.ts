import { noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConcurrencyLimiter } from '../../src/engine/delivery-worker';

/** Takes all free slots, and returns the functions that free them. */
function fill(slots: ConcurrencyLimiter, now: number): (() => void)[] {
  return Array.from({ length: slots.free(now) }, () => slots.take(now));
}

describe('the concurrency limiter', () => {
  test('allows 256 attempts at once', () => {
    const slots = new ConcurrencyLimiter();
    expect(slots.free(noon)).toBe(256);
    slots.take(noon);
    expect(slots.free(noon)).toBe(255);
    fill(slots, noon);
    expect(slots.free(noon)).toBe(0);
  });

  test('frees a slot when an attempt ends', () => {
    const slots = new ConcurrencyLimiter();
    const [first, second] = fill(slots, noon);
    first?.();
    second?.();
    expect(slots.free(noon)).toBe(2);
  });

  test('frees the slot of an attempt after a second, and knows when', () => {
    const slots = new ConcurrencyLimiter();
    slots.take(noon);
    fill(slots, noon + 400);
    expect(slots.free(noon + 999)).toBe(0);
    expect(slots.nextFreeAt()).toBe(noon + 1_000);
    expect(slots.free(noon + 1_000)).toBe(1);
    slots.take(noon + 1_000);
    expect(slots.nextFreeAt()).toBe(noon + 1_400);
    expect(slots.free(noon + 1_400)).toBe(255);
  });

  test('allows 2,000 attempts in all: then one must end, fast or slow', () => {
    const slots = new ConcurrencyLimiter();
    const taken: (() => void)[] = [];
    for (let now = noon; taken.length < 2_000; now += 1_000) taken.push(...fill(slots, now));
    expect(taken).toHaveLength(2_000);
    expect(slots.free(noon + 3_600_000)).toBe(0);
    expect(slots.nextFreeAt()).toBe(Number.POSITIVE_INFINITY);
    taken[0]?.();
    expect(slots.free(noon + 3_600_000)).toBe(1);
  });

  test('frees all slots in the end, however long each attempt took and however the clock was set', () => {
    const steps = fc.array(
      fc.record({
        passes: fc.integer({ min: -5_000, max: 5_000 }),
        takes: fc.nat(300),
        ends: fc.nat(300),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const slots = new ConcurrencyLimiter();
        let now = noon;
        let taken: (() => void)[] = [];
        for (const { passes, takes, ends } of all) {
          now += passes;
          const free = slots.free(now);
          expect(free).toBeGreaterThanOrEqual(0);
          expect(free).toBeLessThanOrEqual(Math.min(256, 2_000 - taken.length));
          for (let count = 0; count < Math.min(takes, free); count += 1)
            taken.push(slots.take(now));
          for (const giveBack of taken.slice(0, ends)) giveBack();
          taken = taken.slice(ends);
        }
        for (const giveBack of taken) giveBack();
        expect(slots.free(now)).toBe(256);
      }),
    );
  });
});
