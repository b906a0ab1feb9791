import { statSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { createPriorityMemory, WritePriority } from '../../../src/stores/sqlite/group-commit';
import { tempFile } from '../../helpers/temp-folder';
import { CommitHarness } from './commit-harness';

/** The write priority of a thread that goes first and of one that yields. */
function aPair() {
  const memory = createPriorityMemory();
  return {
    memory,
    first: new WritePriority({ memory, yields: false }),
    yielding: new WritePriority({ memory, yields: true }),
  };
}

describe('the write priority', () => {
  test('goes to one side; the other waits until that has no pending change', async () => {
    const { first, yielding } = aPair();
    expect([first.shouldYield, yielding.shouldYield]).toEqual([false, false]);
    first.setPending(true);
    expect([first.shouldYield, yielding.shouldYield]).toEqual([false, true]);
    const waited = yielding.yield();
    first.setPending(false);
    expect(await waited).toBe(true);
    expect(yielding.shouldYield).toBe(false);
  });

  test('lets the side that yields write even if the other never stops', async () => {
    const { first, yielding } = aPair();
    first.setPending(true);
    expect(await yielding.yield()).toBe(false);
  });

  test('counts a pending change once, however often it is set', async () => {
    const { first, yielding } = aPair();
    for (const wants of [true, true, false, false]) first.setPending(wants);
    expect(yielding.shouldYield).toBe(false);
    yielding.setPending(true);
    expect([first.shouldYield, yielding.shouldYield]).toEqual([false, false]);
  });

  test('ends a wait with the end of the other side, or soon without it', async () => {
    const { first, yielding } = aPair();
    const ended = first.waitForOtherWrite();
    yielding.end();
    await ended;
    await first.waitForOtherWrite();
  });
});

describe('among changes of two threads in one file', () => {
  function twoSides() {
    const harness = new CommitHarness();
    const memory = createPriorityMemory();
    const first = harness.group({ priority: { memory, yields: false } }, harness.elsewhere);
    harness.commits = harness.group({ priority: { memory, yields: true } });
    const noteFirst = (text: string) => () => {
      harness.elsewhere.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
    };
    return { harness, first, noteFirst };
  }

  test('a long group is interrupted for a pending change, and continues after it', async () => {
    const { harness, first, noteFirst } = twoSides();
    let urgent: Promise<unknown> | undefined;
    await harness.addAll(
      () => {
        harness.note('one')();
        urgent ??= first.add(noteFirst('urgent'));
      },
      harness.note('two'),
      harness.note('three'),
    );
    await urgent;
    expect(harness.seenElsewhere()).toEqual(['one', 'urgent', 'two', 'three']);
  });

  test('no change is lost or applied twice, and each side keeps its order, at any timing', async () => {
    const change = fc.record({ urgent: fc.boolean(), priority: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (drawn) => {
        const { harness, first, noteFirst } = twoSides();
        const changes: Promise<unknown>[] = [];
        for (const [index, { urgent, priority }] of drawn.entries()) {
          for (let turn = 0; turn < priority; turn += 1) await new Promise(setImmediate);
          const text = `${urgent ? 'urgent' : 'normal'} ${index}`;
          changes.push(
            urgent ? first.add(noteFirst(text)) : harness.commits.add(harness.note(text)),
          );
        }
        await Promise.all(changes);
        const seen = harness.seenElsewhere();
        for (const side of ['urgent', 'normal']) {
          const own = drawn.flatMap(({ urgent }, index) =>
            urgent === (side === 'urgent') ? [`${side} ${index}`] : [],
          );
          expect(seen.filter((text) => String(text).startsWith(side))).toEqual(own);
        }
        expect(seen).toHaveLength(drawn.length);
      }),
      { numRuns: 30 },
    );
  });
});

test('the thread that yields does the checkpoints', async () => {
  const file = tempFile();
  const memory = createPriorityMemory();
  const open = (yields: boolean) => {
    const db = new SqliteDatabase(file, { priority: { memory, yields } });
    onTestFinished(() => db.close());
    return db;
  };
  const [first, yielding] = [open(false), open(true)];
  const before = statSync(file).size;
  const insert = 'INSERT INTO accounts (id, kind, name, created_at) VALUES (?, ?, ?, ?)';
  const long = 'long'.repeat(2_500_000);
  await first.write(() => first.run(insert, 'usr_1', 'buyer', long, 0));
  expect(statSync(file).size).toBe(before);
  await yielding.write(() => yielding.run(insert, 'usr_2', 'buyer', 'short', 0));
  expect(statSync(file).size).toBeGreaterThan(before + long.length);
});
