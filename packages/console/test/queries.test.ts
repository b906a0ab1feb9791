import type { Delivery } from '@tradepost/sdk';
import { expect, test } from 'vitest';
import { every, untilNextAttempt } from '../src/kernel/queries';

const at = Date.parse('2026-11-28T12:00:00Z');
const pending = (nextAttemptAt: string | null) => ({ state: 'pending' as const, nextAttemptAt });
const later = pending('2026-11-28T12:00:30Z');

test.each([
  ['nothing', [], false],
  ['what is delivered', [{ state: 'delivered' as const, nextAttemptAt: null }], false],
  ['the earliest of two attempts', [pending('2026-11-28T12:10:00Z'), later], 30_000],
  ['an attempt that is due', [pending('2026-11-28T11:59:00Z'), later], 2_000],
  ['an attempt in hours', [pending('2026-11-28T18:00:00Z')], 60_000],
])('deliveries are read again after a while that suits %s', (_, deliveries, wait) => {
  expect(untilNextAttempt(deliveries, { at, unchangedMs: 5_000 })).toBe(wait);
});

test('where no time is known, what stays the same is read less and less often', () => {
  const next = every<Pick<Delivery, 'state' | 'nextAttemptAt'>[]>(untilNextAttempt);
  const inFlight = [pending(null)];
  const read = (data: unknown, seconds: number) =>
    next({ state: { data, dataUpdatedAt: at + 1_000 * seconds, error: null } });
  expect([0, 2, 4, 8, 500].map((seconds) => read(inFlight, seconds))).toEqual([
    2_000, 2_000, 4_000, 8_000, 60_000,
  ]);
  expect(read([pending(null)], 500)).toBe(2_000);
});
