import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatAgo, getNow, watchNow } from '../src/kernel/now';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('what has just happened is not ahead, although the shown time is up to a second old', () => {
  expect(formatAgo(900, 0)).toBe('just now');
  expect(formatAgo(1_500, 0)).toBe('in a moment');
  expect(formatAgo(-4_000, 0)).toBe('just now');
});

test('the time is current when it is shown again after a while', () => {
  const seen: number[] = [];
  const stop = watchNow(() => seen.push(getNow()));
  expect(getNow()).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(seen).toEqual([1_000, 2_000]);
  stop();
  vi.advanceTimersByTime(10 * minute);
  expect([seen.length, getNow()]).toEqual([2, 2_000]);
  watchNow(() => undefined)();
  expect(getNow()).toBe(10 * minute + 2_000);
});
