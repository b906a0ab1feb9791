import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { expect, test } from 'vitest';
import { throttle } from '../../src/kernel/throttle';

test('a throttled report comes at once, and then every ten seconds with the number and the last of what happened', async () => {
  const clock = new FakeClock();
  const reports: [count: number, about: string][] = [];
  const note = throttle<string>(clock, (count, about) => reports.push([count, about]));
  note('first');
  expect(reports).toEqual([[1, 'first']]);
  for (const about of ['second', 'third']) note(about);
  await clock.advance(9_999);
  expect(reports).toHaveLength(1);
  await clock.advance(1);
  expect(reports.slice(1)).toEqual([[2, 'third']]);
  note('fourth');
  await clock.advance(10_000);
  expect(reports.slice(2)).toEqual([[1, 'fourth']]);
});

test('a throttled report comes at once again after ten seconds without an event, and leaves no timer', async () => {
  const clock = new FakeClock();
  let reported = 0;
  const note = throttle(clock, (count) => {
    reported += count;
  });
  note();
  await clock.advance(10_000);
  expect([reported, clock.pendingTimers]).toEqual([1, 0]);
  note();
  expect(reported).toBe(2);
});
