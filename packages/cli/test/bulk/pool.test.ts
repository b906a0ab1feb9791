import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PoolOptions, runPool } from '../../src/bulk/run-bulk';

/** What a pool did with its targets. */
interface Course {
  /** The targets, as they were begun. */
  begun: number[];
  /** How many were under way when each was begun, itself included. */
  underWay: number[];
  finished: number[];
}

/** Runs a pool over 0, 1, 2 … whose work the scheduler ends in an order of its own. */
async function watchPool(
  scheduler: fc.Scheduler,
  count: number,
  {
    stopsRun = () => false,
    ...pool
  }: Partial<PoolOptions<number>> & {
    concurrency: number;
    stopsRun?: (target: number) => boolean;
  },
): Promise<Course & { told: number }> {
  const course: Course = { begun: [], underWay: [], finished: [] };
  const running = runPool({
    targets: Array.from({ length: count }, (_, index) => index),
    signal: new AbortController().signal,
    ...pool,
    work: async (target) => {
      course.begun.push(target);
      course.underWay.push(course.begun.length - course.finished.length);
      await scheduler.schedule(Promise.resolve(), `work on ${target}`);
      course.finished.push(target);
      return stopsRun(target);
    },
  });
  const told = await scheduler.waitFor(running);
  return { ...course, told };
}

const count = fc.integer({ min: 0, max: 25 });
const concurrency = fc.integer({ min: 1, max: 8 });
const firstOnes = (length: number) => Array.from({ length }, (_, index) => index);

describe('a pool', () => {
  it('works on every target once, begun in their order, so many at a time, the first alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), count, concurrency, async (scheduler, size, limit) => {
        const { told, begun, underWay, finished } = await watchPool(scheduler, size, {
          concurrency: limit,
        });
        expect(begun).toEqual(firstOnes(size));
        expect([...finished].sort((one, other) => one - other)).toEqual(begun);
        expect(told).toBe(size);
        expect(Math.max(0, ...underWay)).toBeLessThanOrEqual(limit);
        expect(finished[0]).toBe(size === 0 ? undefined : 0);
        expect(underWay.slice(0, 2)).toEqual([1, 1].slice(0, size));
      }),
    );
  });

  it('has as many under way as it may, once the first is done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { underWay } = await watchPool(scheduler, 20, { concurrency: 4 });
        expect(Math.max(...underWay)).toBe(4);
      }),
    );
  });

  it('begins nothing after a result that ends all, and finishes what is under way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        count,
        concurrency,
        fc.nat(24),
        async (scheduler, size, limit, last) => {
          let begunAtEnd = size;
          const course: Course = { begun: [], underWay: [], finished: [] };
          const told = await scheduler.waitFor(
            runPool({
              targets: firstOnes(size),
              concurrency: limit,
              signal: new AbortController().signal,
              work: async (target) => {
                course.begun.push(target);
                await scheduler.schedule(Promise.resolve());
                course.finished.push(target);
                if (target === last) begunAtEnd = course.begun.length;
                return target === last;
              },
            }),
          );
          expect(course.begun).toEqual(firstOnes(told));
          expect(course.finished).toHaveLength(told);
          expect(told).toBeLessThanOrEqual(begunAtEnd);
        },
      ),
    );
  });

  it('stops after the first one, when that ends all', async () => {
    const pool = { concurrency: 4, stopsRun: () => true };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { begun, told } = await watchPool(scheduler, 9, pool);
        expect({ begun, told }).toEqual({ begun: [0], told: 1 });
      }),
    );
  });

  it('begins nothing after an interruption, and finishes what is under way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        count,
        concurrency,
        fc.nat(24),
        async (scheduler, size, limit, when) => {
          const interrupt = new AbortController();
          let begunAtEnd = size;
          const begun: number[] = [];
          let finished = 0;
          const told = await scheduler.waitFor(
            runPool({
              targets: firstOnes(size),
              concurrency: limit,
              signal: interrupt.signal,
              work: async (target) => {
                begun.push(target);
                await scheduler.schedule(Promise.resolve());
                finished += 1;
                if (target === when) {
                  interrupt.abort();
                  begunAtEnd = begun.length;
                }
                return false;
              },
            }),
          );
          expect(begun).toEqual(firstOnes(told));
          expect(finished).toBe(told);
          expect(told).toBeLessThanOrEqual(begunAtEnd);
        },
      ),
    );
  });

  it('begins nothing at all when the interruption came before', async () => {
    const work = () => Promise.reject(new Error('it was begun'));
    const pool = { targets: [1, 2], concurrency: 2, work };
    expect(await runPool({ ...pool, signal: AbortSignal.abort() })).toBe(0);
  });

  it('begins each in its turn, and asks for no turn that nobody takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), count, concurrency, async (scheduler, size, limit) => {
        let turns = 0;
        let ended = false;
        const turn = () => {
          expect(ended).toBe(false);
          turns += 1;
          return scheduler.schedule(Promise.resolve(), 'turn');
        };
        const stopsRun = (target: number) => {
          ended ||= target === 5;
          return target === 5;
        };
        const { begun } = await watchPool(scheduler, size, { concurrency: limit, turn, stopsRun });
        expect(begun).toEqual(firstOnes(begun.length));
        expect(turns).toBeGreaterThanOrEqual(begun.length);
        expect(turns).toBeLessThan(begun.length + limit);
      }),
    );
  });
});
