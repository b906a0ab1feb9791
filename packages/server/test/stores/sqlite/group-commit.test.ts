import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { tempFile } from '../../helpers/temp-folder';
import { CommitHarness, getOutcome, reject } from './commit-harness';

let harness: CommitHarness;

beforeEach(() => {
  harness = new CommitHarness();
});

/** Counts the commits in the write-ahead log: the last frame of each has the file's size. Source: SQLite, "WAL-mode File Format". */
function commitCount(): number {
  const log = readFileSync(`${harness.file}-wal`);
  const [header, frame] = [32, 24 + 4_096];
  let count = 0;
  for (let at = header; at < log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count += 1;
  return count;
}

/** Counts the commits that an action takes. */
async function countCommits(work: () => Promise<unknown>): Promise<number> {
  const before = commitCount();
  await work();
  return commitCount() - before;
}

describe('changes that share commits', () => {
  test('share one when they arrive in the same turn', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`);
    expect(
      await countCommits(() => harness.addAll(...texts.map((text) => harness.note(text)))),
    ).toBe(1);
    expect(harness.seenElsewhere()).toEqual(texts);
  });

  test('do not wait for others: a single change has its own commit', async () => {
    expect(await countCommits(() => harness.commits.add(harness.note('one')))).toBe(1);
    expect(await countCommits(() => harness.commits.add(harness.note('other')))).toBe(1);
  });

  test('share the next one when they arrive during a commit', async () => {
    const later: Promise<number>[] = [];
    const count = await countCommits(async () => {
      await harness.commits.add(harness.note('first')).then(() => {
        later.push(
          harness.commits.add(harness.note('second')),
          harness.commits.add(harness.note('third')),
        );
      });
      await Promise.all(later);
    });
    expect(count).toBe(2);
  });

  test('are at most a hundred in one commit, or the configured number', async () => {
    const works = Array.from({ length: 250 }, (_, index) => harness.note(`note ${index}`));
    expect(await countCommits(() => harness.addAll(...works))).toBe(3);
    harness.commits = harness.group({ largestGroup: 1 });
    const alone = Array.from({ length: 5 }, (_, index) => harness.note(`alone ${index}`));
    expect(await countCommits(() => harness.addAll(...alone))).toBe(5);
  });

  test('are applied in the order of their requests, and each sees those before it', async () => {
    const found = await harness.addAll(harness.note('a'), harness.note('b'), harness.note('c'));
    expect(found.map((one) => one.status === 'fulfilled' && one.value)).toEqual([1, 2, 3]);
    expect(harness.seenElsewhere()).toEqual(['a', 'b', 'c']);
  });

  test('are on disk when their promises are fulfilled', async () => {
    const seen = await harness.commits
      .add(harness.note('mine'))
      .then(() => harness.seenElsewhere());
    expect(seen).toEqual(['mine']);
  });

  test('are invisible before their commit, on this connection and on others', async () => {
    const adding = harness.commits.add(harness.note('one'));
    expect([harness.seenHere(), harness.seenElsewhere()]).toEqual([[], []]);
    const reads: unknown[] = [];
    const reading = harness.commits.add(() => {
      reads.push(harness.seenElsewhere());
    });
    await Promise.all([adding, reading]);
    expect(reads).toEqual([[]]);
  });
});

describe('a change that is not durable', () => {
  /** When SQLite waits for the disk: 0 never, 1 to protect the file, 2 for every commit. */
  const disk = () => harness.connection.pragma('synchronous', { simple: true });

  test('does not wait for the disk; durable changes before and after it do', async () => {
    const waited: unknown[] = [];
    for (const lasting of [false, true, false, false, true]) {
      waited.push(await harness.commits.add(disk, lasting));
    }
    expect(waited).toEqual([1, 2, 1, 1, 2]);
  });

  test('waits for the disk when it shares a commit with a durable change', async () => {
    const together = [
      harness.commits.add(disk, false),
      harness.commits.add(disk),
      harness.commits.add(disk, false),
    ];
    expect(await Promise.all(together)).toEqual([2, 2, 2]);
  });

  test('is visible to others as soon as its promise is fulfilled', async () => {
    await harness.commits.add(harness.note('fleeting'), false);
    expect(harness.seenElsewhere()).toEqual(['fleeting']);
  });

  test('is like any other in a database that never waits for the disk', async () => {
    harness.connection.pragma('synchronous = off');
    harness.commits = harness.group({ synchronous: 'off' });
    expect(await harness.commits.add(disk, false)).toBe(0);
    expect(await harness.commits.add(disk)).toBe(0);
  });
});

describe('a rejected change', () => {
  test('leaves nothing behind, and its neighbours are written', async () => {
    const undone = () => {
      harness.note('half')();
      reject();
    };
    const found = await harness.addAll(harness.note('before'), undone, harness.note('after'));
    expect(found.map(getOutcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'order_not_found' } });
    expect(harness.seenElsewhere()).toEqual(['before', 'after']);
  });

  test('is reported only after the commit, when its neighbours are on disk', async () => {
    const adding = harness.commits.add(harness.note('neighbour'));
    const domainError = harness.commits.add(reject).catch(() => harness.seenElsewhere());
    expect(await domainError).toEqual(['neighbour']);
    await adding;
  });

  test('does not see the writes of a rejected one before it', async () => {
    const half = () => {
      harness.note('half')();
      reject();
    };
    const [, found] = await harness.addAll(half, harness.note('whole'));
    expect(found).toEqual({ status: 'fulfilled', value: 1 });
  });

  test('does not affect others when the database itself rejects it', async () => {
    const found = await harness.addAll(
      harness.note('same'),
      harness.note('same'),
      harness.note('other'),
    );
    expect(found.map(getOutcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
    expect(harness.seenElsewhere()).toEqual(['same', 'other']);
  });

  test('is undone when it returns a promise', async () => {
    const waiting = async () => {
      harness.note('half')();
    };
    await expect(harness.commits.add(waiting)).rejects.toThrow('must not be asynchronous');
    expect(harness.seenElsewhere()).toEqual([]);
  });

  test('does not affect others when the commit fails: each is retried alone', async () => {
    const found = await harness.addAll(
      harness.note('before'),
      harness.dangle(),
      harness.note('after'),
    );
    expect(found.map(getOutcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } });
    expect(harness.seenElsewhere()).toEqual(['before', 'after']);
    expect(harness.elsewhere.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0);
  });
});

describe('the closing of a database', () => {
  test('comes after all earlier requests', async () => {
    const db = new SqliteDatabase(tempFile());
    const key = 'INSERT INTO accounts (id, kind, name, created_at) VALUES (?, ?, ?, ?)';
    const added = Array.from({ length: 250 }, (_, index) =>
      db.write(() => db.run(key, `usr_${index}`, 'buyer', 'A buyer', 0)),
    );
    await db.close();
    expect(await Promise.all(added)).toEqual(Array(250).fill(1));
  });
});

test('after any sequence of changes, fulfilled ones are stored in their order, and rejected ones are not', async () => {
  const change = fc.record({
    priority: fc.nat(2),
    as: fc.constantFrom('done', 'done', 'rejected', 'repeated', 'dangling'),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      async (all, size) => {
        run += 1;
        harness.commits = harness.group({ largestGroup: size });
        const expected: string[] = [];
        const changes: Promise<boolean>[] = [];
        for (const [index, { priority, as }] of all.entries()) {
          const text = `${run}/${index}`;
          if (as === 'done') expected.push(text);
          const work = () => {
            harness.note(text)();
            if (as === 'rejected') reject();
            if (as === 'repeated') harness.note(text)();
            if (as === 'dangling') harness.dangle()();
          };
          changes.push(
            harness.commits.add(work).then(
              () => as === 'done',
              () => as !== 'done',
            ),
          );
          for (let turn = 0; turn < priority; turn += 1)
            await new Promise((done) => setImmediate(done));
        }
        expect(await Promise.all(changes)).toEqual(all.map(() => true));
        const written = harness.elsewhere.prepare(
          'SELECT text FROM notes WHERE text LIKE ? ORDER BY seq',
        );
        expect(written.pluck().all(`${run}/%`)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
}, 30_000);
