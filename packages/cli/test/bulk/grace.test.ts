import { expect, it } from 'vitest';
import { createShutdownGrace } from '../../src/bulk/shutdown-grace';
import { wait } from '../../src/context';

/** Work that ends when the test finishes it, or when its signal aborts. */
function someWork() {
  let finish = () => {};
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      finish = () => resolve('finished');
      signal.addEventListener('abort', () => resolve('aborted'));
    });
  return { work, finish: () => finish() };
}

it('a shutdown grace period lets work in flight complete, and reports it once', async () => {
  const interrupt = new AbortController();
  let reports = 0;
  const grace = createShutdownGrace(
    { signal: interrupt.signal, wait },
    () => (reports += 1),
    60_000,
  );
  const { work, finish } = someWork();
  const result = grace.during(work);
  expect(reports).toBe(0);
  interrupt.abort();
  expect(reports).toBe(1);
  finish();
  expect(await result).toBe('finished');
  grace.end();
});

it('a shutdown grace period aborts work that takes longer', async () => {
  const interrupt = new AbortController();
  const grace = createShutdownGrace({ signal: interrupt.signal, wait }, () => {}, 1);
  const result = grace.during(someWork().work);
  interrupt.abort();
  expect(await result).toBe('aborted');
  grace.end();
});

it('a shutdown grace period reports nothing when nothing is in flight', async () => {
  const interrupt = new AbortController();
  let reports = 0;
  const grace = createShutdownGrace({ signal: interrupt.signal, wait }, () => (reports += 1), 1);
  expect(await grace.during(async () => 'done')).toBe('done');
  interrupt.abort();
  grace.end();
  expect(reports).toBe(0);
});
