import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { settle } from '@tradepost/domain/test/fake-clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { CommitHarness, getOutcome, reject } from './commit-harness';

let harness: CommitHarness;

beforeEach(() => {
  harness = new CommitHarness();
});

describe('a database that cannot be written', () => {
  function limit(pages: number): void {
    const used = Number(harness.connection.pragma('page_count', { simple: true }));
    harness.connection.pragma(`max_page_count = ${used + pages}`);
  }
  const long = (name: string) => name.repeat(40_000);

  test('because it is full rejects only the changes that do not fit', async () => {
    limit(2);
    const found = await harness.addAll(
      harness.note('short'),
      harness.note(long('too long')),
      harness.note('short too'),
    );
    expect(found.map(getOutcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(harness.seenElsewhere()).toEqual(['short', 'short too']);
  });

  test('because it is full stores nothing of a group in which nothing fits, and works once there is room', async () => {
    limit(2);
    const works = [
      harness.note(long('one')),
      harness.note(long('two')),
      harness.note(long('three')),
    ];
    const found = await harness.addAll(...works);
    for (const one of found) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(harness.seenElsewhere()).toEqual([]);
    limit(1_000);
    expect((await harness.addAll(...works)).map(getOutcome)).toEqual(Array(3).fill('fulfilled'));
  });

  test('because of a lock delays changes, while reads continue and do not see them', async () => {
    harness.elsewhere.exec('BEGIN IMMEDIATE');
    const adding = harness.addAll(harness.note('one'), harness.note('two'));
    await settle();
    expect(harness.seenHere()).toEqual([]);
    expect(harness.connection.inTransaction).toBe(false);
    harness.elsewhere.exec('ROLLBACK');
    expect((await adding).map(getOutcome)).toEqual(['fulfilled', 'fulfilled']);
    expect(harness.seenElsewhere()).toEqual(['one', 'two']);
  });

  test('because of a long lock rejects the whole group after two seconds, and works afterwards', async () => {
    harness.elsewhere.exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    for (const one of await harness.addAll(harness.note('one'), reject, harness.note('two'))) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    harness.elsewhere.exec('ROLLBACK');
    expect(harness.seenElsewhere()).toEqual([]);
    await harness.commits.add(harness.note('now'));
    expect(harness.seenElsewhere()).toEqual(['now']);
  }, 20_000);

  test('because of a long lock never applies a rejected change when its neighbour fails', async () => {
    harness.elsewhere.exec('BEGIN IMMEDIATE');
    const first = harness.commits.add(harness.note('first'));
    await settle();
    const second = harness.commits.add(harness.note('second')).catch((error) => {
      harness.elsewhere.exec('ROLLBACK');
      throw error;
    });
    // The third arrives so late that its timeout has not expired when that of the second has.
    const third = first.catch(() => harness.commits.add(harness.dangle()));
    await expect(first).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(second).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(third).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    expect(harness.seenElsewhere()).toEqual([]);
  }, 20_000);

  test('because it is closed rejects new changes, and does not hang', async () => {
    harness.connection.close();
    await expect(harness.commits.add(harness.note('late'))).rejects.toThrow('not open');
    await harness.commits.flushed();
  });
});
