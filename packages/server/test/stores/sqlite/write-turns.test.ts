import { statSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { turnMemory, WriteTurns } from '../../../src/stores/sqlite/write-turns';
import { tempFile } from '../../temp-folder';
import { CommitRig } from './commit-rig';

/** A thread that goes first and one that yields, as far as their turns go. */
function aPair() {
  const memory = turnMemory();
  return {
    memory,
    first: new WriteTurns({ memory, yields: false }),
    yielding: new WriteTurns({ memory, yields: true }),
  };
}

describe('turns to write', () => {
  test('go to the one that others wait for; the other waits until it wants no more', async () => {
    const { first, yielding } = aPair();
    expect([first.mustYield, yielding.mustYield]).toEqual([false, false]);
    first.want(true);
    expect([first.mustYield, yielding.mustYield]).toEqual([false, true]);
    const waited = yielding.yield();
    first.want(false);
    expect(await waited).toBe(true);
    expect(yielding.mustYield).toBe(false);
  });

  test('come to the one that yields even when there is no end of the others', async () => {
    const { first, yielding } = aPair();
    first.want(true);
    expect(await yielding.yield()).toBe(false);
  });

  test('are asked for once, however often it is said', async () => {
    const { first, yielding } = aPair();
    for (const wants of [true, true, false, false]) first.want(wants);
    expect(yielding.mustYield).toBe(false);
    yielding.want(true);
    expect([first.mustYield, yielding.mustYield]).toEqual([false, false]);
  });

  test('of one who waits for an end come with it, or soon without it', async () => {
    const { first, yielding } = aPair();
    const ended = first.otherEnds();
    yielding.end();
    await ended;
    await first.otherEnds();
  });
});

describe('changes of two threads in one file', () => {
  function twoSides() {
    const rig = new CommitRig();
    const memory = turnMemory();
    const first = new GroupCommit(rig.elsewhere, { turns: { memory, yields: false } });
    rig.commits = new GroupCommit(rig.connection, { turns: { memory, yields: true } });
    const noteFirst = (text: string) => () => {
      rig.elsewhere.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
    };
    return { rig, first, noteFirst };
  }

  test('a long group is cut for what others wait for, and goes on after it', async () => {
    const { rig, first, noteFirst } = twoSides();
    let urgent: Promise<unknown> | undefined;
    await rig.addAll(
      () => {
        rig.note('one')();
        urgent ??= first.add(noteFirst('urgent'));
      },
      rig.note('two'),
      rig.note('three'),
    );
    await urgent;
    expect(rig.seenElsewhere()).toEqual(['one', 'urgent', 'two', 'three']);
  });

  test('none is lost or done twice, and each side keeps its order, whatever comes when', async () => {
    const change = fc.record({ urgent: fc.boolean(), turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
        const { rig, first, noteFirst } = twoSides();
        const asked: Promise<unknown>[] = [];
        for (const [index, { urgent, turns }] of changes.entries()) {
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          const text = `${urgent ? 'urgent' : 'patient'} ${index}`;
          asked.push(urgent ? first.add(noteFirst(text)) : rig.commits.add(rig.note(text)));
        }
        await Promise.all(asked);
        const seen = rig.seenElsewhere();
        for (const side of ['urgent', 'patient']) {
          const own = changes.flatMap(({ urgent }, index) =>
            urgent === (side === 'urgent') ? [`${side} ${index}`] : [],
          );
          expect(seen.filter((text) => String(text).startsWith(side))).toEqual(own);
        }
        expect(seen).toHaveLength(changes.length);
      }),
      { numRuns: 30 },
    );
  });
});

test('what has to be copied from the log into the file is left to the thread that yields', async () => {
  const file = tempFile();
  const memory = turnMemory();
  const open = (yields: boolean) => {
    const db = new SqliteDatabase(file, { turns: { memory, yields } });
    onTestFinished(() => db.close());
    return db;
  };
  const [first, yielding] = [open(false), open(true)];
  const before = statSync(file).size;
  const insert = 'INSERT INTO accounts VALUES (?, ?, ?, ?)';
  const long = 'long'.repeat(2_500_000);
  await first.write(() => first.run(insert, 'usr_1', 'buyer', long, 0));
  expect(statSync(file).size).toBe(before);
  await yielding.write(() => yielding.run(insert, 'usr_2', 'buyer', 'short', 0));
  expect(statSync(file).size).toBeGreaterThan(before + long.length);
});
