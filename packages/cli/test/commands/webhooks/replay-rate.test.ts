import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, runPool } from '../../../src/bulk/pool';
import { parseRate } from '../../../src/input/options';

/** A clock that advances to the next timer as soon as nothing else happens. */
class FastClock {
  time = 0;
  readonly #waiting: { at: number; wake: () => void }[] = [];

  readonly now = () => this.time;

  readonly wait = (milliseconds: number) =>
    new Promise<void>((wake) => {
      this.#waiting.push({ at: this.time + milliseconds, wake });
    });

  /** Advances until no timer is left. */
  async run(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#waiting.sort((one, other) => one.at - other.at).shift();
      if (next === undefined) continue;
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
    await end;
  }
}

/** Processes one item per duration, and returns when each was started. */
async function beginnings(
  durations: readonly number[],
  interval: number,
  concurrency: number,
): Promise<{ started: number[]; endedAt: number }> {
  const clock = new FastClock();
  const started: number[] = [];
  const work = runPool({
    targets: durations,
    concurrency,
    work: async (duration) => {
      started.push(clock.now());
      await clock.wait(duration);
      return false;
    },
    signal: new AbortController().signal,
    turn: createRateLimiter(durations.length, interval, clock),
  });
  await clock.run(work);
  return { started, endedAt: clock.now() };
}

describe('the rate of replays', () => {
  it('is kept when they are fast, without a wait at the end', async () => {
    const { started, endedAt } = await beginnings([1, 1, 1, 1], 200, 4);
    expect(started).toEqual([0, 200, 400, 600]);
    expect(endedAt).toBe(601);
  });

  it('is not followed by a burst after slow ones', async () => {
    const { started } = await beginnings([1_000, 1, 1, 1], 200, 1);
    expect(started).toEqual([0, 1_000, 1_200, 1_400]);
  });

  it('is never exceeded, however long each takes and however many run in parallel', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 5 }),
        async (durations, interval, concurrency) => {
          const { started, endedAt } = await beginnings(durations, interval, concurrency);
          expect(started).toHaveLength(durations.length);
          for (const [index, at] of started.slice(1).entries()) {
            expect(at - (started[index] ?? 0)).toBeGreaterThanOrEqual(interval);
          }
          // Idle workers do not delay the end.
          const lastEnds = started.map((at, index) => at + (durations[index] ?? 0));
          expect(endedAt).toBe(Math.max(0, ...lastEnds));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('parseRate', () => {
  it('parses a number per second or per minute', () => {
    expect(parseRate('5/s')).toBe(200);
    expect(parseRate('30/m')).toBe(2_000);
    expect(parseRate('1000/s')).toBe(1);
  });

  it('rejects everything else, and never returns an infinite rate', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{0,5}\/[smh]?$/)), (text) => {
        let interval: number;
        try {
          interval = parseRate(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'commander.invalidArgument' });
          return;
        }
        expect(text).toMatch(/^\d{1,4}\/[sm]$/);
        expect(interval).toBeGreaterThanOrEqual(1);
        expect(interval).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});
