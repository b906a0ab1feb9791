import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { tempFile } from '../../temp-folder';
import { CommitRig, refuse, statusOf } from './commit-rig';

let rig: CommitRig;

beforeEach(() => {
  rig = new CommitRig();
});

/** How many commits the write-ahead log holds: the frame that ends one tells the file's size. Source: SQLite, "WAL-mode File Format". */
function commitCount(): number {
  const log = readFileSync(`${rig.file}-wal`);
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
    expect(await commitsOf(() => rig.addAll(...texts.map((text) => rig.note(text))))).toBe(1);
    expect(rig.seenElsewhere()).toEqual(texts);
  });

  test('do not wait for company: one that comes alone has a commit of its own', async () => {
    expect(await commitsOf(() => rig.commits.add(rig.note('one')))).toBe(1);
    expect(await commitsOf(() => rig.commits.add(rig.note('other')))).toBe(1);
  });

  test('that arrive while others are written take the next together', async () => {
    const later: Promise<number>[] = [];
    const count = await commitsOf(async () => {
      await rig.commits.add(rig.note('first')).then(() => {
        later.push(rig.commits.add(rig.note('second')), rig.commits.add(rig.note('third')));
      });
      await Promise.all(later);
    });
    expect(count).toBe(2);
  });

  test('are a hundred at most in one commit, or as many as is said', async () => {
    const works = Array.from({ length: 250 }, (_, index) => rig.note(`note ${index}`));
    expect(await commitsOf(() => rig.addAll(...works))).toBe(3);
    rig.commits = new GroupCommit(rig.connection, { largestGroup: 1 });
    const alone = Array.from({ length: 5 }, (_, index) => rig.note(`alone ${index}`));
    expect(await commitsOf(() => rig.addAll(...alone))).toBe(5);
  });

  test('are done in the order in which they were asked for, and each sees those before it', async () => {
    const found = await rig.addAll(rig.note('a'), rig.note('b'), rig.note('c'));
    expect(found.map((one) => one.status === 'fulfilled' && one.value)).toEqual([1, 2, 3]);
    expect(rig.seenElsewhere()).toEqual(['a', 'b', 'c']);
  });

  test('are on disk when they are answered', async () => {
    const seen = await rig.commits.add(rig.note('mine')).then(() => rig.seenElsewhere());
    expect(seen).toEqual(['mine']);
  });

  test('cannot be seen before their commit, on this connection or on another', async () => {
    const adding = rig.commits.add(rig.note('one'));
    expect([rig.seenHere(), rig.seenElsewhere()]).toEqual([[], []]);
    const reads: unknown[] = [];
    const looking = rig.commits.add(() => {
      reads.push(rig.seenElsewhere());
    });
    await Promise.all([adding, looking]);
    expect(reads).toEqual([[]]);
  });
});

describe('a change that need not last', () => {
  /** What the disk is waited for: 0 for nothing, 1 for what must not break, 2 for everything. */
  const disk = () => rig.connection.pragma('synchronous', { simple: true });

  test('does not wait for the disk; those that have to last do, before it and after it', async () => {
    const waited: unknown[] = [];
    for (const lasting of [false, true, false, false, true]) {
      waited.push(await rig.commits.add(disk, lasting));
    }
    expect(waited).toEqual([1, 2, 1, 1, 2]);
  });

  test('waits with the others when it shares a commit with one that has to last', async () => {
    const together = [
      rig.commits.add(disk, false),
      rig.commits.add(disk),
      rig.commits.add(disk, false),
    ];
    expect(await Promise.all(together)).toEqual([2, 2, 2]);
  });

  test('is seen by others as soon as it is answered', async () => {
    await rig.commits.add(rig.note('fleeting'), false);
    expect(rig.seenElsewhere()).toEqual(['fleeting']);
  });

  test('changes nothing where the disk is never waited for', async () => {
    rig.connection.pragma('synchronous = off');
    rig.commits = new GroupCommit(rig.connection, { synchronous: 'off' });
    expect(await rig.commits.add(disk, false)).toBe(0);
    expect(await rig.commits.add(disk)).toBe(0);
  });
});

describe('a change that is refused', () => {
  test('leaves no trace, and its neighbours are written', async () => {
    const undone = () => {
      rig.note('half')();
      refuse();
    };
    const found = await rig.addAll(rig.note('before'), undone, rig.note('after'));
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'order_not_found' } });
    expect(rig.seenElsewhere()).toEqual(['before', 'after']);
  });

  test('is told only after the commit: what it saw of its neighbours is on disk by then', async () => {
    const adding = rig.commits.add(rig.note('neighbour'));
    const refusal = rig.commits.add(refuse).catch(() => rig.seenElsewhere());
    expect(await refusal).toEqual(['neighbour']);
    await adding;
  });

  test('does not see what a refused one before it had written', async () => {
    const half = () => {
      rig.note('half')();
      refuse();
    };
    const [, found] = await rig.addAll(half, rig.note('whole'));
    expect(found).toEqual({ status: 'fulfilled', value: 1 });
  });

  test('by the database itself harms no other', async () => {
    const found = await rig.addAll(rig.note('same'), rig.note('same'), rig.note('other'));
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
    expect(rig.seenElsewhere()).toEqual(['same', 'other']);
  });

  test('because it would wait is undone', async () => {
    const waiting = async () => {
      rig.note('half')();
    };
    await expect(rig.commits.add(waiting)).rejects.toThrow('cannot wait');
    expect(rig.seenElsewhere()).toEqual([]);
  });

  test('by the commit takes no other along: each is tried by itself', async () => {
    const found = await rig.addAll(rig.note('before'), rig.dangle(), rig.note('after'));
    expect(found.map(statusOf)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } });
    expect(rig.seenElsewhere()).toEqual(['before', 'after']);
    expect(rig.elsewhere.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0);
  });
});

describe('the end of a database', () => {
  test('comes after all that was asked for before', async () => {
    const db = new SqliteDatabase(tempFile());
    const key = 'INSERT INTO accounts VALUES (?, ?, ?, ?)';
    const added = Array.from({ length: 250 }, (_, index) =>
      db.write(() => db.run(key, `usr_${index}`, 'buyer', 'A buyer', 0)),
    );
    await db.close();
    expect(await Promise.all(added)).toEqual(Array(250).fill(1));
  });
});

test('whatever arrives whenever: what was answered is there, in its order, and what was refused is not', async () => {
  const change = fc.record({
    turns: fc.nat(2),
    as: fc.constantFrom('done', 'done', 'refused', 'repeated', 'dangling'),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      async (all, size) => {
        run += 1;
        rig.commits = new GroupCommit(rig.connection, { largestGroup: size });
        const expected: string[] = [];
        const asked: Promise<boolean>[] = [];
        for (const [index, { turns, as }] of all.entries()) {
          const text = `${run}/${index}`;
          if (as === 'done') expected.push(text);
          const work = () => {
            rig.note(text)();
            if (as === 'refused') refuse();
            if (as === 'repeated') rig.note(text)();
            if (as === 'dangling') rig.dangle()();
          };
          asked.push(
            rig.commits.add(work).then(
              () => as === 'done',
              () => as !== 'done',
            ),
          );
          for (let turn = 0; turn < turns; turn += 1)
            await new Promise((done) => setImmediate(done));
        }
        expect(await Promise.all(asked)).toEqual(all.map(() => true));
        const written = rig.elsewhere.prepare(
          'SELECT text FROM notes WHERE text LIKE ? ORDER BY seq',
        );
        expect(written.pluck().all(`${run}/%`)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
}, 30_000);
