import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, runPool } from '../../../src/bulk/run-bulk';
import { parseRate } from '../../../src/input/options';

/** A clock that goes on to the next thing that somebody waits for, as soon as nothing else happens. */
class FastClock {
  time = 0;
  readonly #waiting: { at: number; wake: () => void }[] = [];

  readonly now = () => this.time;

  readonly wait = (milliseconds: number) =>
    new Promise<void>((wake) => {
      this.#waiting.push({ at: this.time + milliseconds, wake });
    });

  /** Goes on until nobody waits any more. */
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

/** Works on as many as there are durations, and tells when each was begun. */
async function beginnings(
  durations: readonly number[],
  interval: number,
  concurrency: number,
): Promise<{ begun: number[]; endedAt: number }> {
  const clock = new FastClock();
  const begun: number[] = [];
  const work = runPool({
    targets: durations,
    concurrency,
    work: async (duration) => {
      begun.push(clock.now());
      await clock.wait(duration);
      return false;
    },
    signal: new AbortController().signal,
    turn: createRateLimiter(durations.length, interval, clock),
  });
  await clock.run(work);
  return { begun, endedAt: clock.now() };
}

describe('the pace of replays', () => {
  it('is kept when they are fast, and nothing is waited for at the end', async () => {
    const { begun, endedAt } = await beginnings([1, 1, 1, 1], 200, 4);
    expect(begun).toEqual([0, 200, 400, 600]);
    expect(endedAt).toBe(601);
  });

  it('is not caught up with a burst after slow ones', async () => {
    const { begun } = await beginnings([1_000, 1, 1, 1], 200, 1);
    expect(begun).toEqual([0, 1_000, 1_200, 1_400]);
  });

  it('never is faster than asked for, however long each takes and however many run at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 5 }),
        async (durations, interval, concurrency) => {
          const { begun, endedAt } = await beginnings(durations, interval, concurrency);
          expect(begun).toHaveLength(durations.length);
          for (const [index, at] of begun.slice(1).entries()) {
            expect(at - (begun[index] ?? 0)).toBeGreaterThanOrEqual(interval);
          }
          // Whoever has nothing to do any more does not hold up the end.
          const lastEnds = begun.map((at, index) => at + (durations[index] ?? 0));
          expect(endedAt).toBe(Math.max(0, ...lastEnds));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('parseRate', () => {
  it('reads so many a second or a minute', () => {
    expect(parseRate('5/s')).toBe(200);
    expect(parseRate('30/m')).toBe(2_000);
    expect(parseRate('1000/s')).toBe(1);
  });

  it('refuses everything else, and never gives a pace without an end', () => {
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
