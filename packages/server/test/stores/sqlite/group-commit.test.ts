import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DomainError } from '../../../src/domain-error';
import { StoreUnavailableError } from '../../../src/store-unavailable-error';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { settle } from '../../fake-clock';
import { tempFile } from '../../temp-folder';

let file: string;
let connection: Database.Database;
/** Another process's view of the file. */
let elsewhere: Database.Database;
let commits: GroupCommit;

function open(): Database.Database {
  const opened = new Database(file, { timeout: 0 });
  onTestFinished(() => {
    opened.close();
  });
  return opened;
}

beforeEach(() => {
  file = tempFile();
  connection = open();
  connection.pragma('journal_mode = WAL');
  connection.pragma('foreign_keys = ON');
  connection.exec(`
    CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
    CREATE TABLE replies (note INTEGER REFERENCES notes (seq) DEFERRABLE INITIALLY DEFERRED)`);
  elsewhere = open();
  commits = new GroupCommit(connection);
});

/** Writes a note and says how many there are then. */
function note(text: string): () => number {
  return () => {
    connection.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
    return Number(connection.prepare('SELECT count(*) FROM notes').pluck().get());
  };
}

function refuse(): never {
  throw new DomainError('order_not_found', 'There is no such order.');
}

function notesIn(database: Database.Database): unknown[] {
  return database.prepare('SELECT text FROM notes ORDER BY seq').pluck().all();
}

/** How many commits the write-ahead log holds: the frame that ends one tells the file's size. Source: SQLite, "WAL-mode File Format". */
function commitCount(): number {
  const log = readFileSync(`${file}-wal`);
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

function addAll(...works: (() => unknown)[]): Promise<PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(works.map((work) => commits.add(work)));
}

const outcome = ({ status }: PromiseSettledResult<unknown>) => status;

describe('changes that share commits', () => {
  test('take one when they arrive in the same turn', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`);
    expect(await commitsOf(() => addAll(...texts.map(note)))).toBe(1);
    expect(notesIn(elsewhere)).toEqual(texts);
  });

  test('do not wait for company: one that comes alone has a commit of its own', async () => {
    expect(await commitsOf(() => commits.add(note('one')))).toBe(1);
    expect(await commitsOf(() => commits.add(note('other')))).toBe(1);
  });

  test('that arrive while others are written take the next together', async () => {
    const later: Promise<number>[] = [];
    const count = await commitsOf(async () => {
      await commits.add(note('first')).then(() => {
        later.push(commits.add(note('second')), commits.add(note('third')));
      });
      await Promise.all(later);
    });
    expect(count).toBe(2);
  });

  test('are a hundred at most in one commit, or as many as is said', async () => {
    const works = Array.from({ length: 250 }, (_, index) => note(`note ${index}`));
    expect(await commitsOf(() => addAll(...works))).toBe(3);
    commits = new GroupCommit(connection, { largestGroup: 1 });
    const alone = Array.from({ length: 5 }, (_, index) => note(`alone ${index}`));
    expect(await commitsOf(() => addAll(...alone))).toBe(5);
  });

  test('are done in the order in which they were asked for, and each sees those before it', async () => {
    const found = await addAll(note('a'), note('b'), note('c'));
    expect(found.map((one) => one.status === 'fulfilled' && one.value)).toEqual([1, 2, 3]);
    expect(notesIn(elsewhere)).toEqual(['a', 'b', 'c']);
  });

  test('are on disk when they are answered', async () => {
    const seen = await commits.add(note('mine')).then(() => notesIn(elsewhere));
    expect(seen).toEqual(['mine']);
  });

  test('cannot be seen before their commit, on this connection or on another', async () => {
    const adding = commits.add(note('one'));
    expect([notesIn(connection), notesIn(elsewhere)]).toEqual([[], []]);
    const reads: unknown[] = [];
    const looking = commits.add(() => {
      reads.push(notesIn(elsewhere));
    });
    await Promise.all([adding, looking]);
    expect(reads).toEqual([[]]);
  });
});

describe('a change that is refused', () => {
  test('leaves no trace, and its neighbours are written', async () => {
    const undone = () => {
      note('half')();
      refuse();
    };
    const found = await addAll(note('before'), undone, note('after'));
    expect(found.map(outcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'order_not_found' } });
    expect(notesIn(elsewhere)).toEqual(['before', 'after']);
  });

  test('is told only after the commit: what it saw of its neighbours is on disk by then', async () => {
    const adding = commits.add(note('neighbour'));
    const refusal = commits.add(refuse).catch(() => notesIn(elsewhere));
    expect(await refusal).toEqual(['neighbour']);
    await adding;
  });

  test('does not see what a refused one before it had written', async () => {
    const half = () => {
      note('half')();
      refuse();
    };
    const [, found] = await addAll(half, note('whole'));
    expect(found).toEqual({ status: 'fulfilled', value: 1 });
  });

  test('by the database itself harms no other', async () => {
    const found = await addAll(note('same'), note('same'), note('other'));
    expect(found.map(outcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
    expect(notesIn(elsewhere)).toEqual(['same', 'other']);
  });

  test('because it would wait is undone', async () => {
    const waiting = async () => {
      note('half')();
    };
    await expect(commits.add(waiting)).rejects.toThrow('cannot wait');
    expect(notesIn(elsewhere)).toEqual([]);
  });

  test('by the commit takes no other along: each is tried by itself', async () => {
    const dangling = () => connection.prepare('INSERT INTO replies VALUES (404)').run();
    const found = await addAll(note('before'), dangling, note('after'));
    expect(found.map(outcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } });
    expect(notesIn(elsewhere)).toEqual(['before', 'after']);
    expect(elsewhere.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0);
  });
});

describe('a database that cannot be written', () => {
  function limit(pages: number): void {
    const used = Number(connection.pragma('page_count', { simple: true }));
    connection.pragma(`max_page_count = ${used + pages}`);
  }
  const long = (name: string) => name.repeat(40_000);

  test('since it is full refuses what does not fit, and nothing else', async () => {
    limit(2);
    const found = await addAll(note('short'), note(long('too long')), note('short too'));
    expect(found.map(outcome)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(found[1]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(notesIn(elsewhere)).toEqual(['short', 'short too']);
  });

  test('since it is full has nothing of a group in which nothing fits, and works once there is room', async () => {
    limit(2);
    const works = [note(long('one')), note(long('two')), note(long('three'))];
    const found = await addAll(...works);
    for (const one of found) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(notesIn(elsewhere)).toEqual([]);
    limit(1_000);
    expect((await addAll(...works)).map(outcome)).toEqual(Array(3).fill('fulfilled'));
  });

  test('since another holds it is waited for, and reads go on and see nothing of it', async () => {
    elsewhere.exec('BEGIN IMMEDIATE');
    const adding = addAll(note('one'), note('two'));
    await settle();
    expect(notesIn(connection)).toEqual([]);
    expect(connection.inTransaction).toBe(false);
    elsewhere.exec('ROLLBACK');
    expect((await adding).map(outcome)).toEqual(['fulfilled', 'fulfilled']);
    expect(notesIn(elsewhere)).toEqual(['one', 'two']);
  });

  test('since another holds it for long refuses the whole group after two seconds, and works afterwards', async () => {
    elsewhere.exec('BEGIN IMMEDIATE');
    const asked = performance.now();
    for (const one of await addAll(note('one'), refuse, note('two'))) {
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    expect(performance.now() - asked).toBeGreaterThan(1_900);
    elsewhere.exec('ROLLBACK');
    expect(notesIn(elsewhere)).toEqual([]);
    await commits.add(note('now'));
    expect(notesIn(elsewhere)).toEqual(['now']);
  }, 20_000);

  test('since another holds it for long: what was refused is not done after all when its neighbour fails', async () => {
    elsewhere.exec('BEGIN IMMEDIATE');
    const dangling = () => connection.prepare('INSERT INTO replies VALUES (404)').run();
    const first = commits.add(note('first'));
    await settle();
    const second = commits.add(note('second')).catch((error) => {
      elsewhere.exec('ROLLBACK');
      throw error;
    });
    // The third comes so late that it has patience left when the second has none.
    const third = first.catch(() => commits.add(dangling));
    await expect(first).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(second).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(third).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    expect(notesIn(elsewhere)).toEqual([]);
  }, 20_000);

  test('since it is closed refuses what comes, and does not hang', async () => {
    connection.close();
    await expect(commits.add(note('late'))).rejects.toThrow('not open');
    await commits.settled();
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
        commits = new GroupCommit(connection, { largestGroup: size });
        const expected: string[] = [];
        const asked: Promise<boolean>[] = [];
        for (const [index, { turns, as }] of all.entries()) {
          const text = `${run}/${index}`;
          if (as === 'done') expected.push(text);
          const work = () => {
            note(text)();
            if (as === 'refused') refuse();
            if (as === 'repeated') note(text)();
            if (as === 'dangling') connection.prepare('INSERT INTO replies VALUES (0)').run();
          };
          asked.push(
            commits.add(work).then(
              () => as === 'done',
              () => as !== 'done',
            ),
          );
          for (let turn = 0; turn < turns; turn += 1)
            await new Promise((done) => setImmediate(done));
        }
        expect(await Promise.all(asked)).toEqual(all.map(() => true));
        const written = elsewhere.prepare('SELECT text FROM notes WHERE text LIKE ? ORDER BY seq');
        expect(written.pluck().all(`${run}/%`)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
}, 30_000);
