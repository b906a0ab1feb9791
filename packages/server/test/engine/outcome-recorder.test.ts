import type { AttemptResult } from '@tradepost/domain/deliveries/delivery';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { aLeasedDelivery, anAttempt, noon } from '@tradepost/domain/test/builders';
import { FakeClock, settle } from '@tradepost/domain/test/fake-clock';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { OutcomeRecorder } from '../../src/engine/outcome-recorder';
import { CapturedLog } from '../helpers/captured-log';
import { aResult } from '../helpers/leasing';

const unavailable = new StoreUnavailableError('SQLite: database or disk is full (SQLITE_FULL)');

let clock: FakeClock;
let logs: CapturedLog;
let batches: { ids: string[]; now: number }[];
/** The result of the store for each batch, in turn; null for success. */
let results: (Error | null)[];
/** Results that the store can never write. */
let cursed: Set<string>;
/** Returns why the store rejects a result for its content; by default none is. */
let rejects: (outcome: AttemptResult) => boolean;
/** What the store has written. */
let stored: AttemptResult[];
/** Releases a slow store. */
let letGo: (() => void) | null;
let recorder: OutcomeRecorder;

async function recordAttempts(outcomes: AttemptResult[], now: number): Promise<void> {
  const ids = outcomes.map(({ deliveryId }) => deliveryId);
  batches.push({ ids, now });
  if (letGo !== null) {
    await new Promise<void>((goOn) => {
      letGo = goOn;
    });
  }
  const fault = results.shift() ?? null;
  if (fault !== null) throw fault;
  if (ids.some((id) => cursed.has(id))) throw new TypeError('that cannot be written');
  if (outcomes.some(rejects)) throw new TypeError('invalid byte sequence');
  stored.push(...outcomes);
}

function anOutcome(id: string): AttemptResult {
  return aResult(aLeasedDelivery({ id }));
}

/** Records results, and logs in which order they are recorded. */
function record(...ids: string[]): { done: string[]; all: Promise<unknown> } {
  const done: string[] = [];
  const all = ids.map((id) => recorder.record(anOutcome(id)).then(() => void done.push(id)));
  return { done, all: Promise.all(all) };
}

beforeEach(() => {
  clock = new FakeClock();
  logs = new CapturedLog();
  batches = [];
  results = [];
  cursed = new Set();
  rejects = () => false;
  stored = [];
  letGo = null;
  recorder = new OutcomeRecorder({ deliveries: { recordAttempts }, clock, log: logs.log });
});

describe('the outcome recorder', () => {
  test('fulfils each promise when its result is written, with the time', async () => {
    await record('one').all;
    expect(batches).toEqual([{ ids: ['one'], now: noon }]);
    expect(recorder.hasBacklog).toBe(false);
  });

  test('writes one batch at a time, and collects the next during the write', async () => {
    letGo = () => {};
    const first = record('one');
    await settle();
    const others = record('two', 'three', 'four');
    await settle();
    expect(batches.map(({ ids }) => ids)).toEqual([['one']]);
    expect(first.done).toEqual([]);
    letGo();
    await settle();
    expect(first.done).toEqual(['one']);
    expect(others.done).toEqual([]);
    letGo();
    await others.all;
    expect(batches.map(({ ids }) => ids)).toEqual([['one'], ['two', 'three', 'four']]);
  });

  test('collects results that arrive in consecutive turns, and does not wait for others', async () => {
    const turn = () => new Promise((done) => setImmediate(done));
    let next = turn();
    const all = [record('one').all];
    for (const id of ['two', 'three']) {
      await next;
      next = turn();
      all.push(record(id).all);
    }
    await Promise.all(all);
    expect(batches.map(({ ids }) => ids)).toEqual([['one', 'two', 'three']]);
  });

  test('writes at most one batch at a time, and loses nothing of the rest', async () => {
    const ids = Array.from({ length: 700 }, (_, index) => `dlv_${index}`);
    await record(...ids).all;
    expect(batches.flatMap((batch) => batch.ids)).toEqual(ids);
    expect(batches.length).toBeGreaterThan(1);
  });

  test('retries after a second while the store is unavailable', async () => {
    results = [unavailable, unavailable, unavailable];
    const { done, all } = record('one', 'two');
    await clock.advance(2_999);
    expect(done).toEqual([]);
    expect(recorder.hasBacklog).toBe(true);
    expect(recorder.failingMs).toBe(2_999);
    await clock.advance(1);
    await all;
    expect(recorder.hasBacklog).toBe(false);
    expect(recorder.failingMs).toBe(0);
    expect(batches.map(({ ids, now }) => [...ids, now - noon])).toEqual([
      ['one', 'two', 0],
      ['one', 'two', 1_000],
      ['one', 'two', 2_000],
      ['one', 'two', 3_000],
    ]);
    expect(clock.pendingTimers).toBe(0);
    expect(logs.text).toHaveLength(3);
    expect(await logs.next('recording attempts failed; retrying')).toMatchObject({ level: 50 });
  });

  test('keeps the order of results while it waits for the store', async () => {
    results = [unavailable];
    const first = record('one', 'two');
    await settle();
    const second = record('three');
    await clock.advance(1_000);
    await Promise.all([first.all, second.all]);
    expect(batches.at(-1)?.ids).toEqual(['one', 'two', 'three']);
  });

  test('skips a result that cannot be written, and writes the others', async () => {
    letGo = () => {};
    record('first');
    await settle();
    cursed = new Set(['bad']);
    const { done, all } = record('one', 'bad', 'two');
    await settle();
    const goOn = letGo;
    letGo = null;
    goOn();
    await all;
    expect(done.sort()).toEqual(['bad', 'one', 'two']);
    expect(batches.map(({ ids }) => ids)).toEqual([
      ['first'],
      ['one', 'bad', 'two'],
      ['one'],
      ['bad'],
      ['bad'],
      ['bad'],
      ['two'],
    ]);
    const line = await logs.next('recording an attempt failed; it will be repeated');
    expect(line).toMatchObject({ level: 50, deliveryId: 'bad' });
  });

  test.each([
    ['the response', 'snippet', { responseSnippet: '', error: null, status: 503 }],
    ['the headers', 'headers', { responseSnippet: '', error: null, headers: {}, status: 503 }],
  ] as const)('records less of a result if the store rejects %s', async (_, part, attempt) => {
    rejects = ({ attempt: one }) => {
      if (part === 'headers') return one !== null && Object.keys(one.headers).length > 0;
      return one?.responseSnippet === 'ok ☕';
    };
    const outcome = aResult(aLeasedDelivery({ id: 'bad', attemptCount: 4 }), {
      attempt: anAttempt({ status: 503, responseSnippet: 'ok ☕' }),
      state: 'pending',
      nextAttemptAt: noon + 60_000,
    });
    await Promise.all([recorder.record(outcome), record('good').all]);
    expect(stored.map(({ deliveryId }) => deliveryId).sort()).toEqual(['bad', 'good']);
    const bad = stored.find(({ deliveryId }) => deliveryId === 'bad');
    // It counts, waits and ends as any other.
    expect(bad).toMatchObject({ number: 5, state: 'pending', nextAttemptAt: noon + 60_000 });
    expect(bad?.attempt).toEqual({ ...outcome.attempt, ...attempt });
    const line = await logs.next('the store rejects a result; recording less of it');
    expect(line).toMatchObject({ level: 50, deliveryId: 'bad' });
  });

  test('keeps a delivery delivered whose response the store rejects', async () => {
    rejects = ({ attempt }) => attempt?.responseSnippet !== '';
    await recorder.record(
      aResult(aLeasedDelivery(), { attempt: anAttempt({ responseSnippet: 'ok' }) }),
    );
    expect(stored).toMatchObject([{ state: 'delivered', attempt: { status: 200 } }]);
  });

  test('records the reduced result later if the store becomes unavailable meanwhile', async () => {
    rejects = ({ attempt }) => attempt?.responseSnippet !== '';
    results = [null, unavailable];
    const recorded = recorder.record(
      aResult(aLeasedDelivery(), { attempt: anAttempt({ responseSnippet: 'ok' }) }),
    );
    await clock.advance(1_000);
    await recorded;
    expect(stored).toHaveLength(1);
  });

  test('loses no result when the store fails while it separates the valid from the invalid', async () => {
    letGo = () => {};
    record('first');
    await settle();
    cursed = new Set(['bad']);
    const { done, all } = record('one', 'bad', 'two', 'three');
    await settle();
    // The first batch is written. The next is rejected; of its parts, the store is unavailable for the first and the third.
    results = [
      null,
      new TypeError('one of these cannot be written'),
      unavailable,
      null,
      null,
      null,
      unavailable,
    ];
    const goOn = letGo;
    letGo = null;
    goOn();
    await settle();
    expect(done.sort()).toEqual(['bad', 'three']);
    expect(recorder.hasBacklog).toBe(true);
    await clock.advance(1_000);
    await all;
    expect(batches.at(-1)).toEqual({ ids: ['one', 'two'], now: noon + 1_000 });
  });
});

describe('after stopRetrying, the outcome recorder', () => {
  test('tries an unavailable store once more, and then releases its callers', async () => {
    results = [unavailable, unavailable, unavailable];
    const { done, all } = record('one');
    await settle();
    recorder.stopRetrying();
    await all;
    expect(done).toEqual(['one']);
    expect(batches).toHaveLength(2);
    await logs.next('recording attempts failed; they will be repeated');
    expect(clock.pendingTimers).toBe(0);
  });

  test('writes what can be written by then', async () => {
    results = [unavailable];
    const { done, all } = record('one');
    await settle();
    recorder.stopRetrying();
    await all;
    expect(done).toEqual(['one']);
    expect(batches).toHaveLength(2);
    expect(logs.text).toHaveLength(1);
  });

  test('still accepts results, and makes one call for those that arrive together', async () => {
    recorder.stopRetrying();
    results = [unavailable, null];
    await record('one', 'two').all;
    await record('three').all;
    expect(batches.map(({ ids }) => ids)).toEqual([['one', 'two'], ['three']]);
  });

  test('makes one call for everything that waits, because each call takes a locked store two seconds', async () => {
    results = Array(1_000).fill(unavailable);
    const { done, all } = record(...Array.from({ length: 300 }, (_, index) => `${index}`));
    await settle();
    const before = batches.length;
    recorder.stopRetrying();
    await all;
    expect(done).toHaveLength(300);
    expect(batches).toHaveLength(before + 1);
  });
});

test('with any responses of the store, each result is settled once, and is written unless it cannot be', async () => {
  const fault = fc.constantFrom(null, unavailable, new TypeError('no'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 20 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
      async (faults, priority) => {
        const written: string[] = [];
        const left = [...faults];
        const settled: string[] = [];
        const own = new OutcomeRecorder({
          deliveries: {
            recordAttempts: async (outcomes) => {
              const result = left.shift() ?? null;
              if (result !== null) throw result;
              written.push(...outcomes.map(({ deliveryId }) => deliveryId));
            },
          },
          clock,
          log: logs.log,
        });
        const all: Promise<void>[] = [];
        for (const [index, pause] of priority.entries()) {
          const id = `dlv_${index}`;
          all.push(own.record(anOutcome(id)).then(() => void settled.push(id)));
          for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
        }
        await clock.advance(30_000);
        await Promise.all(all);
        expect(settled.sort()).toEqual(priority.map((_, index) => `dlv_${index}`).sort());
        expect(new Set(written).size).toBe(written.length);
        // Only a result that cannot be written is lost, and only when it is written alone.
        const lost = priority.length - written.length;
        expect(lost).toBeLessThanOrEqual(faults.filter((one) => one instanceof TypeError).length);
        expect(own.hasBacklog).toBe(false);
      },
    ),
    { numRuns: 100 },
  );
});
