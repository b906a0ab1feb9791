import { QueryObserver } from '@tanstack/react-query';
import type { Delivery } from '@tradepost/sdk';
import { expect, test } from 'vitest';
import {
  countShownRequests,
  createQueryClient,
  every,
  untilNextAttempt,
} from '../src/kernel/queries';

const at = Date.parse('2026-11-28T12:00:00Z');
const pending = (nextAttemptAt: string | null) => ({ state: 'pending' as const, nextAttemptAt });
const later = pending('2026-11-28T12:00:30Z');

const read = (data: unknown, seconds = 0) =>
  every<Pick<Delivery, 'state' | 'nextAttemptAt'>[]>(untilNextAttempt)({
    state: { data, dataUpdatedAt: at + 1_000 * seconds, error: null },
  });

test.each([
  ['nothing', [], false],
  ['what is delivered', [{ state: 'delivered' as const, nextAttemptAt: null }], false],
  ['the earliest of two attempts', [pending('2026-11-28T12:10:00Z'), later], 30_000],
  ['an attempt that is due', [pending('2026-11-28T11:59:00Z'), later], 2_000],
  ['an attempt in hours', [pending('2026-11-28T18:00:00Z')], 60_000],
])('deliveries are read again after a while that suits %s', (_, deliveries, wait) => {
  expect(read(deliveries)).toBe(wait);
});

test('a list of ten pages is read again ten times less often, since each takes a request', () => {
  const list = { pages: Array.from({ length: 10 }, () => ({ data: [] })) };
  const state = { data: list, dataUpdatedAt: at, error: null };
  expect(every(3_000)({ state })).toBe(20_000);
  expect(every(30_000)({ state })).toBe(30_000);
  const queries = createQueryClient();
  expect(countShownRequests(queries)).toBe(1);
  queries.setQueryData(['orders'], list);
  expect(countShownRequests(queries)).toBe(1);
  const shown = new QueryObserver(queries, { queryKey: ['orders'], staleTime: Infinity });
  const close = shown.subscribe(() => {});
  expect(countShownRequests(queries)).toBe(10);
  close();
});

test('where no time is known, what stays the same is read less and less often', () => {
  const inFlight = [pending(null)];
  expect([0, 2, 4, 8, 500].map((seconds) => read(inFlight, seconds))).toEqual([
    2_000, 2_000, 4_000, 8_000, 60_000,
  ]);
  expect(read([pending(null)], 500)).toBe(2_000);
});
