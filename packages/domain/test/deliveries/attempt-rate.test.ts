import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countAllowed, limitedUntil, useAttempts } from '../../src/deliveries/endpoint-health';
import { noon } from '../helpers/builders';

test('without a limit, any number of attempts may start', () => {
  const rate = { attemptsPerMinute: null, rateUntil: noon + 1 };
  expect(countAllowed(rate, noon)).toBe(Number.POSITIVE_INFINITY);
  expect(useAttempts(rate, 7, noon)).toBe(noon + 1);
});

test('two attempts at a limit of 4 are 15 s apart', () => {
  const unused = { attemptsPerMinute: 4, rateUntil: 0 };
  expect(countAllowed(unused, noon)).toBe(1);
  const used = { ...unused, rateUntil: useAttempts(unused, 1, noon) };
  expect(limitedUntil(used, noon)).toBe(noon + 15_000);
  expect(countAllowed(used, noon + 14_999)).toBe(0);
  expect(countAllowed(used, noon + 15_000)).toBe(1);
  expect(countAllowed(used, noon + 60_000)).toBe(1);
});

test('a limit of 600 saves up the attempts of a second', () => {
  const unused = { attemptsPerMinute: 600, rateUntil: 0 };
  expect(countAllowed(unused, noon)).toBe(10);
  const used = { ...unused, rateUntil: useAttempts(unused, 10, noon) };
  expect(countAllowed(used, noon + 99)).toBe(0);
  expect(countAllowed(used, noon + 100)).toBe(1);
  expect(countAllowed(used, noon + 350)).toBe(3);
  expect(countAllowed(used, noon + 5_000)).toBe(10);
});

test('in no minute there are more attempts than the limit and those of a second, and none waits for long', () => {
  const steps = fc.array(fc.tuple(fc.nat(20_000), fc.nat(50)), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), steps, (attemptsPerMinute, moves) => {
      const burst = Math.max(1, Math.floor(attemptsPerMinute / 60));
      let rate = { attemptsPerMinute, rateUntil: 0 };
      let now = noon;
      const started: { at: number; count: number }[] = [];
      for (const [later, wanted] of moves) {
        now += later;
        const count = Math.min(wanted, countAllowed(rate, now));
        rate = { ...rate, rateUntil: useAttempts(rate, count, now) };
        started.push({ at: now, count });
        expect(countAllowed(rate, limitedUntil(rate, now))).toBeGreaterThanOrEqual(1);
        const lastMinute = started.filter(({ at }) => at > now - 60_000);
        const total = lastMinute.reduce((sum, one) => sum + one.count, 0);
        expect(total).toBeLessThanOrEqual(attemptsPerMinute + burst);
      }
    }),
  );
});

test('after the clock was set back, nothing waits longer than a minute', () => {
  const rate = { attemptsPerMinute: 1, rateUntil: noon + 86_400_000 };
  expect(limitedUntil(rate, noon)).toBe(noon + 60_000);
});
