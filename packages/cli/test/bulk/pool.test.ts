import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PoolOptions, runPool } from '../../src/bulk/pool';

/** What a pool did with its targets. */
interface Course {
  /** The targets, in the order in which they were started. */
  started: number[];
  /** How many were in flight when each was started, including itself. */
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
  const course: Course = { started: [], underWay: [], finished: [] };
  const running = runPool({
    targets: Array.from({ length: count }, (_, index) => index),
    signal: new AbortController().signal,
    ...pool,
    work: async (target) => {
      course.started.push(target);
      course.underWay.push(course.started.length - course.finished.length);
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
  it('runs every target once, in order, the first alone, then up to the concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), count, concurrency, async (scheduler, size, limit) => {
        const { told, started, underWay, finished } = await watchPool(scheduler, size, {
          concurrency: limit,
        });
        expect(started).toEqual(firstOnes(size));
        expect([...finished].sort((one, other) => one - other)).toEqual(started);
        expect(told).toBe(size);
        expect(Math.max(0, ...underWay)).toBeLessThanOrEqual(limit);
        expect(finished[0]).toBe(size === 0 ? undefined : 0);
        expect(underWay.slice(0, 2)).toEqual([1, 1].slice(0, size));
      }),
    );
  });

  it('runs as many in parallel as the concurrency allows after the first one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { underWay } = await watchPool(scheduler, 20, { concurrency: 4 });
        expect(Math.max(...underWay)).toBe(4);
      }),
    );
  });

  it('starts nothing after a result that ends the run, and finishes what is in progress', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        count,
        concurrency,
        fc.nat(24),
        async (scheduler, size, limit, last) => {
          let startedAtEnd = size;
          const course: Course = { started: [], underWay: [], finished: [] };
          const told = await scheduler.waitFor(
            runPool({
              targets: firstOnes(size),
              concurrency: limit,
              signal: new AbortController().signal,
              work: async (target) => {
                course.started.push(target);
                await scheduler.schedule(Promise.resolve());
                course.finished.push(target);
                if (target === last) startedAtEnd = course.started.length;
                return target === last;
              },
            }),
          );
          expect(course.started).toEqual(firstOnes(told));
          expect(course.finished).toHaveLength(told);
          expect(told).toBeLessThanOrEqual(startedAtEnd);
        },
      ),
    );
  });

  it('stops after the first result if that ends the run', async () => {
    const pool = { concurrency: 4, stopsRun: () => true };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { started, told } = await watchPool(scheduler, 9, pool);
        expect({ started, told }).toEqual({ started: [0], told: 1 });
      }),
    );
  });

  it('starts nothing after an interruption, and finishes what is in progress', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        count,
        concurrency,
        fc.nat(24),
        async (scheduler, size, limit, when) => {
          const interrupt = new AbortController();
          let startedAtEnd = size;
          const started: number[] = [];
          let finished = 0;
          const told = await scheduler.waitFor(
            runPool({
              targets: firstOnes(size),
              concurrency: limit,
              signal: interrupt.signal,
              work: async (target) => {
                started.push(target);
                await scheduler.schedule(Promise.resolve());
                finished += 1;
                if (target === when) {
                  interrupt.abort();
                  startedAtEnd = started.length;
                }
                return false;
              },
            }),
          );
          expect(started).toEqual(firstOnes(told));
          expect(finished).toBe(told);
          expect(told).toBeLessThanOrEqual(startedAtEnd);
        },
      ),
    );
  });

  it('starts nothing after an earlier interruption', async () => {
    const work = () => Promise.reject(new Error('it was started'));
    const pool = { targets: [1, 2], concurrency: 2, work };
    expect(await runPool({ ...pool, signal: AbortSignal.abort() })).toBe(0);
  });

  it('starts each target when the pacer allows it, and requests no turn that it does not use', async () => {
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
        const { started } = await watchPool(scheduler, size, {
          concurrency: limit,
          turn,
          stopsRun,
        });
        expect(started).toEqual(firstOnes(started.length));
        expect(turns).toBeGreaterThanOrEqual(started.length);
        expect(turns).toBeLessThan(started.length + limit);
      }),
    );
  });
});
