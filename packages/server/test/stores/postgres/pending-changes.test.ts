import { beforeEach, describe, expect, test } from 'vitest';
import { PendingChanges } from '../../../src/stores/postgres/pending-changes';

describe('the delay of pending changes', () => {
  let now: number;
  let changes: PendingChanges;

  beforeEach(() => {
    now = 1_000;
    changes = new PendingChanges(() => now);
  });

  test('is 0 without any', () => {
    expect(changes.delay).toBe(0);
    changes.end(changes.add());
    now += 700;
    expect(changes.delay).toBe(0);
  });

  test('is the time for which the oldest one has waited while none ends', () => {
    changes.add();
    now += 400;
    changes.add();
    now += 200;
    expect(changes.delay).toBe(600);
  });

  test('starts again whenever one ends, for those that are slower', () => {
    changes.add();
    const fast = changes.add();
    now += 600;
    changes.end(fast);
    expect(changes.delay).toBe(0);
    now += 10;
    expect(changes.delay).toBe(10);
  });

  test('does not count one that waits for a row, nor takes its start for progress', () => {
    const blocked = changes.add();
    now += 100;
    const slow = changes.add();
    changes.remove(blocked);
    now += 300;
    expect(changes.delay).toBe(300);
    changes.end(slow);
    expect(changes.delay).toBe(0);
  });

  test('is that of the oldest one if so many are pending that it was passed over', () => {
    const all = Array.from({ length: 300 }, () => changes.add());
    now += 600;
    changes.end(all[299] as (typeof all)[0]);
    expect(changes.delay).toBe(600);
    for (const change of all.slice(100, 299)) changes.end(change);
    expect(changes.delay).toBe(0);
  });
});
