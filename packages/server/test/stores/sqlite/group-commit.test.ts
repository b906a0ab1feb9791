import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { tempFile } from '../../helpers/temp-folder';
import { CommitHarness, refuse, statusOf } from './commit-harness';

let harness: CommitHarness;

beforeEach(() => {
  harness = new CommitHarness();
});

/** How many commits the write-ahead log holds: the frame that ends one tells the file's size. Source: SQLite, "WAL-mode File Format". */
function commitCount(): number {
  const log = readFileSync(`${harness.file}-wal`);
  const [header, frame] = [32, 24 + 4_096];
  let count = 0;
  for (let at = header; at < log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count += 1;
  return count;
}

/** How many commits something takes. */
async function commitsOf(work: () => Promise<unknown>): Promise<number> {
  const before = commitCount();
  await work();
  return commitCount() - before;
}

describe('changes that share commits', () => {
  test('take one when they arrive in the same turn', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`);
    expect(await commitsOf(() => harness.addAll(...texts.map((text) => harness.note(text))))).toBe(
      1,
    );
    expect(harness.seenElsewhere()).toEqual(texts);
  });

  test('do not wait for company: one that comes alone has a commit of its own', async () => {
    expect(await commitsOf(() => harness.commits.add(harness.note('one')))).toBe(1);
    expect(await commitsOf(() => harness.commits.add(harness.note('other')))).toBe(1);
  });

  test('that arrive while others are written take the next together', async () => {
    const later: Promise<number>[] = [];
    const count = await commitsOf(async () => {
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

  test('are a hundred at most in one commit, or as many as is said', async () => {
    const works = Array.from({ length: 250 }, (_, index) => harness.note(`note ${index}`));
    expect(await commitsOf(() => harness.addAll(...works))).toBe(3);
    harness.commits = new GroupCommit(harness.connection, { largestGroup: 1 });
    const alone = Array.from({ length: 5 }, (_, index) => harness.note(`alone ${index}`));
    expect(await commitsOf(() => harness.addAll(...alone))).toBe(5);
  });

  test('are applied in the order of their requests, and each sees those before it', async () => {
    const found = await harness.addAll(harness.note('a'), harness.note('b'), harness.note('c'));
    expect(found.map((one) => one.status === 'fulfilled' && one.value)).toEqual([1, 2, 3]);
    expect(harness.seenElsewhere()).toEqual(['a', 'b', 'c']);
  });

  test('are on disk when their promises resolve', async () => {
    const seen = await harness.commits
      .add(harness.note('mine'))
      .then(() => harness.seenElsewhere());
    expect(seen).toEqual(['mine']);
  });

  test('cannot be seen before their commit, on this connection or on another', async () => {
    const adding = harness.commits.add(harness.note('one'));
    expect([harness.seenHere(), harness.seenElsewhere()]).toEqual([[], []]);
    const reads: unknown[] = [];
    const looking = harness.commits.add(() => {
      reads.push(harness.seenElsewhere());
    });
    await Promise.all([adding, looking]);
    expect(reads).toEqual([[]]);
  });
});

describe('a change that need not last', () => {
  /** What the disk is waited for: 0 for nothing, 1 for what must not break, 2 for everything. */
  const disk = () => harness.connection.pragma('synchronous', { simple: true });

  test('does not wait for the disk; those that have to last do, before it and after it', async () => {
    const waited: unknown[] = [];
    for (const lasting of [false, true, false, false, true]) {
      waited.push(await harness.commits.add(disk, lasting));
    }
    expect(waited).toEqual([1, 2, 1, 1, 2]);
  });

  test('waits with the others when it shares a commit with one that has to last', async () => {
    const together = [
      harness.commits.add(disk, false),
      harness.commits.add(disk),
      harness.commits.add(disk, false),
    ];
    expect(await Promise.all(together)).toEqual([2, 2, 2]);
  });

  test('is visible to others as soon as its promise resolves', async () => {
    await harness.commits.add(harness.note('fleeting'), false);
    expect(harness.seenElsewhere()).toEqual(['fleeting']);
  });

  test('changes nothing where the disk is never waited for', async () => {
    harness.connection.pragma('synchronous = off');
    harness.commits = new GroupCommit(harness.connection, { synchronous: 'off' });
    expect(await harness.commits.add(disk, false)).toBe(0);
    expect(await harness.commits.add(disk)).toBe(0);
  });
});

describe('a rejected change', () => {
  test('leaves no trace, and its neighbours are written', async () => {
    const undone = () => {
      harness.note('half')();
      refuse();
    };
    const found = await harness.addAll(harness.note('before'), undone, harness.note('after'));
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'order_not_found' } });
    expect(harness.seenElsewhere()).toEqual(['before', 'after']);
  });

  test('is reported only after the commit: what it saw of its neighbours is on disk by then', async () => {
    const adding = harness.commits.add(harness.note('neighbour'));
    const domainError = harness.commits.add(refuse).catch(() => harness.seenElsewhere());
    expect(await domainError).toEqual(['neighbour']);
    await adding;
  });

  test('does not see what a rejected one before it had written', async () => {
    const half = () => {
      harness.note('half')();
      refuse();
    };
    const [, found] = await harness.addAll(half, harness.note('whole'));
    expect(found).toEqual({ status: 'fulfilled', value: 1 });
  });

  test('by the database itself harms no other', async () => {
    const found = await harness.addAll(
      harness.note('same'),
      harness.note('same'),
      harness.note('other'),
    );
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
    expect(harness.seenElsewhere()).toEqual(['same', 'other']);
  });

  test('because it would wait is undone', async () => {
    const waiting = async () => {
      harness.note('half')();
    };
    await expect(harness.commits.add(waiting)).rejects.toThrow('must not be asynchronous');
    expect(harness.seenElsewhere()).toEqual([]);
  });

  test('by the commit takes no other along: each is tried by itself', async () => {
    const found = await harness.addAll(
      harness.note('before'),
      harness.dangle(),
      harness.note('after'),
    );
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } });
    expect(harness.seenElsewhere()).toEqual(['before', 'after']);
    expect(harness.elsewhere.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0);
  });
});

describe('the end of a database', () => {
  test('comes after all earlier requests', async () => {
    const db = new SqliteDatabase(tempFile());
    const key = 'INSERT INTO accounts VALUES (?, ?, ?, ?)';
    const added = Array.from({ length: 250 }, (_, index) =>
      db.write(() => db.run(key, `usr_${index}`, 'buyer', 'A buyer', 0)),
    );
    await db.close();
    expect(await Promise.all(added)).toEqual(Array(250).fill(1));
  });
});

test('for any arrivals: resolved changes are there, in their order, and rejected ones are not', async () => {
  const change = fc.record({
    priority: fc.nat(2),
    as: fc.constantFrom('done', 'done', 'refused', 'repeated', 'dangling'),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      async (all, size) => {
        run += 1;
        harness.commits = new GroupCommit(harness.connection, { largestGroup: size });
        const expected: string[] = [];
        const asked: Promise<boolean>[] = [];
        for (const [index, { priority, as }] of all.entries()) {
          const text = `${run}/${index}`;
          if (as === 'done') expected.push(text);
          const work = () => {
            harness.note(text)();
            if (as === 'refused') refuse();
            if (as === 'repeated') harness.note(text)();
            if (as === 'dangling') harness.dangle()();
          };
          asked.push(
            harness.commits.add(work).then(
              () => as === 'done',
              () => as !== 'done',
            ),
          );
          for (let turn = 0; turn < priority; turn += 1)
            await new Promise((done) => setImmediate(done));
        }
        expect(await Promise.all(asked)).toEqual(all.map(() => true));
        const written = harness.elsewhere.prepare(
          'SELECT text FROM notes WHERE text LIKE ? ORDER BY seq',
        );
        expect(written.pluck().all(`${run}/%`)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
}, 30_000);
