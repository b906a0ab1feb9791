import { expect, it } from 'vitest';
import { graceAfter } from '../../src/bulk/grace';

/** Work that ends when it is let, or when its signal aborts. */
function someWork() {
  let finish = () => {};
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      finish = () => resolve('finished');
      signal.addEventListener('abort', () => resolve('cut short'));
    });
  return { work, finish: () => finish() };
}

it('what is under way comes to its end within the grace, and that is told once', async () => {
  const interrupt = new AbortController();
  let told = 0;
  const grace = graceAfter(interrupt.signal, () => (told += 1), 60_000);
  const { work, finish } = someWork();
  const result = grace.during(work);
  expect(told).toBe(0);
  interrupt.abort();
  expect(told).toBe(1);
  finish();
  expect(await result).toBe('finished');
  grace.end();
});

it('what takes longer than the grace is cut short', async () => {
  const interrupt = new AbortController();
  const grace = graceAfter(interrupt.signal, () => {}, 1);
  const result = grace.during(someWork().work);
  interrupt.abort();
  expect(await result).toBe('cut short');
  grace.end();
});

it('where nothing is under way nothing is told', async () => {
  const interrupt = new AbortController();
  let told = 0;
  const grace = graceAfter(interrupt.signal, () => (told += 1), 1);
  expect(await grace.during(async () => 'done')).toBe('done');
  interrupt.abort();
  grace.end();
  expect(told).toBe(0);
});
