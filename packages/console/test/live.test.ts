import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from '../src/live/live';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const before = Number.POSITIVE_INFINITY;

test('a page refreshes a random moment after an event, so that not all do at once', () => {
  const refresh = vi.fn();
  throttle(refresh, { random: () => 0.5 })({ kinds: ['orders'], before });
  vi.advanceTimersByTime(249);
  expect(refresh).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(refresh).toHaveBeenCalledOnce();
});

test('a page refreshes once a second at most, with all that came meanwhile', () => {
  const refresh = vi.fn();
  const tell = throttle(refresh, { random: () => 0 });
  tell({ kinds: ['orders'], before });
  vi.advanceTimersByTime(0);
  expect(refresh.mock.calls).toEqual([[{ kinds: ['orders'], before }]]);
  tell({ kinds: ['orders', 'events'], before });
  tell({ kinds: ['webhooks', 'events'], before });
  vi.advanceTimersByTime(999);
  expect(refresh).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1);
  expect(refresh.mock.calls.slice(1)).toEqual([
    [{ kinds: ['orders', 'events', 'webhooks'], before }],
  ]);
  tell({ kinds: ['orders'], before: 7 });
  tell({ kinds: null, before: 5 });
  vi.advanceTimersByTime(1_000);
  expect(refresh.mock.calls.slice(2)).toEqual([[{ kinds: null, before: 7 }]]);
  vi.advanceTimersByTime(5_000);
  expect(refresh).toHaveBeenCalledTimes(3);
  tell({ kinds: null, before: 9 });
  vi.advanceTimersByTime(0);
  expect(refresh).toHaveBeenCalledTimes(4);
});

test('a page with ten pages of a list refreshes once in ten seconds at most', () => {
  const refresh = vi.fn();
  const tell = throttle(refresh, { random: () => 0, countRequests: () => 10 });
  tell({ kinds: ['orders'], before });
  vi.advanceTimersByTime(0);
  tell({ kinds: ['orders'], before });
  vi.advanceTimersByTime(9_999);
  expect(refresh).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1);
  expect(refresh).toHaveBeenCalledTimes(2);
});
