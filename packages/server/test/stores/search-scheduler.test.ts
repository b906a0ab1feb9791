import { getEventListeners } from 'node:events';
import { settle } from '@tradepost/domain/test/fake-clock';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { SearchScheduler } from '../../src/stores/search-scheduler';

let scheduler: SearchScheduler;
/** The search of each step so far, in order. */
let steps: string[];

beforeEach(() => {
  scheduler = new SearchScheduler();
  steps = [];
});

/** Options of a search. */
interface SearchOptions {
  signal?: AbortSignal;
  /** The error that its last step throws; by default it succeeds. */
  error?: Error;
}

/** Starts a search that takes a number of steps and then returns its name. */
function search(
  accountId: string,
  name: string,
  count: number,
  { signal, error }: SearchOptions = {},
): Promise<string> {
  let made = 0;
  const step = async (): Promise<IteratorResult<undefined, string>> => {
    steps.push(name);
    made += 1;
    if (made < count) return { done: false, value: undefined };
    if (error) throw error;
    return { done: true, value: name };
  };
  return scheduler.run(accountId, step, signal);
}

const endless = Number.POSITIVE_INFINITY;

describe('the scheduler of searches', () => {
  test('lets accounts take turns, a step each, however many searches they have', async () => {
    const ofFirst = ['a1', 'a2', 'a3'].map((name) => search('a', name, 4));
    const ofOthers = [search('b', 'b1', 3), search('c', 'c1', 2)];
    expect(await Promise.all(ofOthers)).toEqual(['b1', 'c1']);
    // The first step ran before the others started.
    expect(steps.map(([account]) => account).join('')).toMatch(/^a(abc)(abc)ab/);
    expect(await Promise.all(ofFirst)).toEqual(['a1', 'a2', 'a3']);
    expect(scheduler.size).toBe(0);
  });

  test('runs two searches of an account, and the others in order as those end', async () => {
    const names = ['a1', 'a2', 'a3', 'a4', 'a5'];
    const count = 3;
    await Promise.all(names.map((name) => search('a', name, count)));
    expect([...new Set(steps)]).toEqual(names);
    for (let made = 1; made <= steps.length; made += 1) {
      const soFar = steps.slice(0, made);
      const running = names.filter((name) => {
        const own = soFar.filter((step) => step === name).length;
        return own > 0 && own < count;
      });
      expect(running.length).toBeLessThanOrEqual(2);
    }
  });

  test('yields to the event loop after each step', async () => {
    let priority = 0;
    let counting = true;
    const count = (async () => {
      for (; counting; priority += 1) await new Promise((turn) => setImmediate(turn));
    })();
    await Promise.all([search('a', 'a1', 10), search('a', 'a2', 10), search('b', 'b1', 10)]);
    counting = false;
    await count;
    expect(priority).toBeGreaterThanOrEqual(29);
  });

  test('rejects a search with rate_limited when 50 of its account wait, and does not affect other accounts', async () => {
    const clients = Array.from({ length: 52 }, abortable);
    const ended = Promise.allSettled(
      clients.map(({ signal }) => search('a', 'a', endless, { signal })),
    );
    await expect(search('a', 'a', 1)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await search('b', 'b1', 1)).toBe('b1');
    for (const { abort } of clients) abort();
    await ended;
    expect(await search('a', 'a1', 1)).toBe('a1');
  });

  test('removes a waiting search at once when its signal aborts', async () => {
    const running = [search('a', 'a1', 3), search('a', 'a2', 3)];
    const { signal, abort } = abortable();
    const waiting = search('a', 'a3', 3, { signal });
    const last = search('a', 'a4', 3);
    abort();
    expect(scheduler.size).toBe(3);
    await expect(waiting).rejects.toBe(signal.reason);
    await Promise.all([...running, last]);
    expect(steps).not.toContain('a3');
  });

  test('makes no further step of a search whose signal aborted, even if one was in progress', async () => {
    const { signal, abort } = abortable();
    let finish = () => {};
    const step = () =>
      new Promise<IteratorResult<undefined, string>>((resolve) => {
        steps.push('a1');
        finish = () => resolve({ done: false, value: undefined });
      });
    const found = scheduler.run('a', step, signal);
    abort();
    await expect(found).rejects.toBe(signal.reason);
    finish();
    await settle();
    expect(steps).toEqual(['a1']);
    expect(scheduler.size).toBe(0);
  });

  test('makes no step if the signal has already aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(search('a', 'a1', 1, { signal })).rejects.toBe(signal.reason);
    expect(steps).toEqual([]);
    expect(scheduler.size).toBe(0);
  });

  test('rejects the search that fails, and continues with the others', async () => {
    const error = new Error('the disk is gone');
    const failing = search('a', 'a1', 2, { error });
    const others = [search('a', 'a2', 3), search('b', 'b1', 3)];
    await expect(failing).rejects.toBe(error);
    expect(await Promise.all(others)).toEqual(['a2', 'b1']);
  });

  test('leaves no listener on a signal, however its search ended', async () => {
    const { signal } = abortable();
    const error = new Error('the disk is gone');
    await search('a', 'a1', 2, { signal });
    await expect(search('a', 'a2', 2, { signal, error })).rejects.toBe(error);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('is fair and complete for any searches of any accounts', async () => {
    const anySearch = fc.record({
      account: fc.constantFrom('a', 'b', 'c', 'd'),
      count: fc.integer({ min: 1, max: 6 }),
      fails: fc.boolean(),
      /** After how many steps of all searches it starts, and after how many it is aborted. */
      startsAt: fc.integer({ min: 0, max: 20 }),
      abortsAt: fc.option(fc.integer({ min: 0, max: 40 })),
    });
    const limits = fc.record({
      running: fc.integer({ min: 1, max: 3 }),
      waiting: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anySearch, { maxLength: 20 }), limits, async (searches, own) => {
        scheduler = new SearchScheduler(own);
        steps = [];
        const aborted = new Map<string, number>();
        const results = searches.map(
          async ({ account, count, fails, startsAt, abortsAt }, index) => {
            const name = `${account}${index}`;
            for (let turn = 0; turn < startsAt; turn += 1) await nextTurn();
            const { signal, abort } = abortable();
            const error = new Error(name);
            const found = search(account, name, count, { signal, ...(fails && { error }) });
            if (abortsAt !== null) {
              void (async () => {
                for (let turn = startsAt; turn < abortsAt; turn += 1) await nextTurn();
                aborted.set(name, steps.length);
                abort();
              })();
            }
            const outcome = await found.then(
              () => 'found',
              (reason) => reason,
            );
            return { name, count, outcome, error, signal };
          },
        );
        for (const { name, count, outcome, error, signal } of await Promise.all(results)) {
          const made = steps.filter((step) => step === name).length;
          if (outcome === signal.reason && signal.aborted) {
            expect(steps.slice(aborted.get(name))).not.toContain(name);
          } else if (outcome?.code === 'rate_limited') expect(made).toBe(0);
          else {
            expect(outcome === 'found' || outcome === error).toBe(true);
            expect(made).toBe(count);
          }
          expect(getEventListeners(signal, 'abort')).toEqual([]);
        }
        expect(scheduler.size).toBe(0);
        expectTurns(own.running);
      }),
      { numRuns: 100 },
    );
  });
});

function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** Between two steps of a search, no account has more turns than the search's own account has running searches. */
function expectTurns(running: number): void {
  const getLast = new Map<string, number>();
  for (const [index, name] of steps.entries()) {
    const between = steps.slice((getLast.get(name) ?? index) + 1, index);
    for (const account of ['a', 'b', 'c', 'd']) {
      const priority = between.filter((step) => step.startsWith(account)).length;
      expect(priority).toBeLessThanOrEqual(running);
    }
    getLast.set(name, index);
  }
}
