import { beforeEach, describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/store-unavailable-error';
import { settle } from '../../fake-clock';
import { CommitRig, refuse, statusOf } from './commit-rig';

let rig: CommitRig;

beforeEach(() => {
  rig = new CommitRig();
});

describe('a database that cannot be written', () => {
  function limit(pages: number): void {
    const used = Number(rig.connection.pragma('page_count', { simple: true }));
    rig.connection.pragma(`max_page_count = ${used + pages}`);
  }
  const long = (name: string) => name.repeat(40_000);

  test('since it is full refuses what does not fit, and nothing else', async () => {
    limit(2);
    const found = await rig.addAll(
      rig.note('short'),
      rig.note(long('too long')),
      rig.note('short too'),
    );
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(rig.seenElsewhere()).toEqual(['short', 'short too']);
  });

  test('since it is full has nothing of a group in which nothing fits, and works once there is room', async () => {
    limit(2);
    const works = [rig.note(long('one')), rig.note(long('two')), rig.note(long('three'))];
    const found = await rig.addAll(...works);
    for (const one of found) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(rig.seenElsewhere()).toEqual([]);
    limit(1_000);
    expect((await rig.addAll(...works)).map(statusOf)).toEqual(Array(3).fill('fulfilled'));
  });

  test('since another holds it is waited for, and reads go on and see nothing of it', async () => {
    rig.elsewhere.exec('BEGIN IMMEDIATE');
    const adding = rig.addAll(rig.note('one'), rig.note('two'));
    await settle();
    expect(rig.seenHere()).toEqual([]);
    expect(rig.connection.inTransaction).toBe(false);
    rig.elsewhere.exec('ROLLBACK');
    expect((await adding).map(statusOf)).toEqual(['fulfilled', 'fulfilled']);
    expect(rig.seenElsewhere()).toEqual(['one', 'two']);
  });

  test('since another holds it for long refuses the whole group after two seconds, and works afterwards', async () => {
    rig.elsewhere.exec('BEGIN IMMEDIATE');
    const asked = performance.now();
    for (const one of await rig.addAll(rig.note('one'), refuse, rig.note('two'))) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(performance.now() - asked).toBeGreaterThan(1_900);
    rig.elsewhere.exec('ROLLBACK');
    expect(rig.seenElsewhere()).toEqual([]);
    await rig.commits.add(rig.note('now'));
    expect(rig.seenElsewhere()).toEqual(['now']);
  }, 20_000);

  test('since another holds it for long: what was refused is not done after all when its neighbour fails', async () => {
    rig.elsewhere.exec('BEGIN IMMEDIATE');
    const first = rig.commits.add(rig.note('first'));
    await settle();
    const second = rig.commits.add(rig.note('second')).catch((error) => {
      rig.elsewhere.exec('ROLLBACK');
      throw error;
    });
    // The third comes so late that it has patience left when the second has none.
    const third = first.catch(() => rig.commits.add(rig.dangle()));
    await expect(first).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(second).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(third).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    expect(rig.seenElsewhere()).toEqual([]);
  }, 20_000);

  test('since it is closed refuses what comes, and does not hang', async () => {
    rig.connection.close();
    await expect(rig.commits.add(rig.note('late'))).rejects.toThrow('not open');
    await rig.commits.settled();
  });
});
