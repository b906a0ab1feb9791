import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryDedupeStore } from '../../src/receiver/dedupe-store';

describe('createMemoryDedupeStore', () => {
  test('returns acquired, then in_progress, then completed', () => {
    const dedupe = createMemoryDedupeStore();
    expect(dedupe.claim('a')).toBe('acquired');
    expect(dedupe.claim('a')).toBe('in_progress');
    dedupe.complete('a');
    expect(dedupe.claim('a')).toBe('completed');
  });

  test('returns acquired again after a release', () => {
    const dedupe = createMemoryDedupeStore();
    dedupe.claim('a');
    dedupe.release('a');
    expect(dedupe.claim('a')).toBe('acquired');
  });

  test('removes completed keys after their time to live, 25 hours by default', () => {
    let now = 0;
    const dedupe = createMemoryDedupeStore({ now: () => now });
    dedupe.claim('a');
    dedupe.complete('a');
    now = 90_000_000 - 1;
    expect(dedupe.claim('a')).toBe('completed');
    now += 1;
    expect(dedupe.claim('a')).toBe('acquired');
  });

  test('removes the oldest keys first when there are too many, and never those in progress', () => {
    const dedupe = createMemoryDedupeStore({ max: 2 });
    for (const key of ['busy', 'a', 'b', 'c']) dedupe.claim(key);
    for (const key of ['a', 'b', 'c']) dedupe.complete(key);
    expect(dedupe.claim('b')).toBe('completed');
    expect(dedupe.claim('c')).toBe('completed');
    expect(dedupe.claim('busy')).toBe('in_progress');
    expect(dedupe.claim('a')).toBe('acquired');
  });

  test.each([{ max: 0 }, { max: Number.NaN }, { ttl: 0 }, { ttl: -1 }, { ttl: Number.NaN }])(
    'rejects %o',
    (options) => {
      expect(() => createMemoryDedupeStore(options)).toThrow(
        /max and ttl must be positive numbers/,
      );
    },
  );

  test('behaves like a model, for any sequence of operations', () => {
    const anyStep = fc.record({
      verb: fc.constantFrom('claim', 'complete', 'release', 'wait'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    });
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, max) => {
          let now = 0;
          const dedupe = createMemoryDedupeStore({ max, ttl: 10, now: () => now });
          const busy = new Set<string>();
          let done: { key: string; at: number }[] = [];
          for (const { verb, key } of steps) {
            if (verb === 'wait') now += 3_000;
            else if (verb === 'claim') {
              const isDone = done.some((one) => one.key === key && now < one.at + 10_000);
              const expected = busy.has(key) ? 'in_progress' : isDone ? 'completed' : 'acquired';
              expect(dedupe.claim(key)).toBe(expected);
              if (expected === 'acquired') busy.add(key);
            } else if (busy.delete(key)) {
              dedupe[verb](key);
              if (verb === 'complete') {
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
