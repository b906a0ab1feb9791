import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryDedupe } from '../../src/receiver/memory-dedupe';

describe('memoryDedupe', () => {
  test('is new, then busy, then done', () => {
    const dedupe = memoryDedupe();
    expect(dedupe.begin('a')).toBe('new');
    expect(dedupe.begin('a')).toBe('busy');
    dedupe.done('a');
    expect(dedupe.begin('a')).toBe('done');
  });

  test('is new again after a failure', () => {
    const dedupe = memoryDedupe();
    dedupe.begin('a');
    dedupe.failed('a');
    expect(dedupe.begin('a')).toBe('new');
  });

  test('forgets what was done when its time is over: 25 hours unless told', () => {
    let now = 0;
    const dedupe = memoryDedupe({ now: () => now });
    dedupe.begin('a');
    dedupe.done('a');
    now = 90_000_000 - 1;
    expect(dedupe.begin('a')).toBe('done');
    now += 1;
    expect(dedupe.begin('a')).toBe('new');
  });

  test('forgets the oldest first when there are too many, and never what is busy', () => {
    const dedupe = memoryDedupe({ max: 2 });
    for (const key of ['busy', 'a', 'b', 'c']) dedupe.begin(key);
    for (const key of ['a', 'b', 'c']) dedupe.done(key);
    expect(dedupe.begin('b')).toBe('done');
    expect(dedupe.begin('c')).toBe('done');
    expect(dedupe.begin('busy')).toBe('busy');
    expect(dedupe.begin('a')).toBe('new');
  });

  test.each([{ max: 0 }, { max: Number.NaN }, { ttl: 0 }, { ttl: -1 }, { ttl: Number.NaN }])(
    'refuses %o',
    (options) => {
      expect(() => memoryDedupe(options)).toThrow(/max and ttl must be positive numbers/);
    },
  );

  test('behaves like a list of everything that happened, whatever happens', () => {
    const anyStep = fc.record({
      verb: fc.constantFrom('begin', 'done', 'failed', 'wait'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    });
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, max) => {
          let now = 0;
          const dedupe = memoryDedupe({ max, ttl: 10, now: () => now });
          const busy = new Set<string>();
          let done: { key: string; at: number }[] = [];
          for (const { verb, key } of steps) {
            if (verb === 'wait') now += 3_000;
            else if (verb === 'begin') {
              const isDone = done.some((one) => one.key === key && now < one.at + 10_000);
              const expected = busy.has(key) ? 'busy' : isDone ? 'done' : 'new';
              expect(dedupe.begin(key)).toBe(expected);
              if (expected === 'new') busy.add(key);
            } else if (busy.delete(key)) {
              dedupe[verb](key);
              if (verb === 'done') {
                done = done.filter((one) => one.key !== key && now < one.at + 10_000);
                done = [...done, { key, at: now }].slice(-max);
              }
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
