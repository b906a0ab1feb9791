import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Housekeeper } from '../../src/retention/housekeeper';
import { resolveRetention } from '../../src/retention/retention';
import { SqliteDatabase } from '../../src/stores/sqlite/database';
import { sqliteDeliveries } from '../../src/stores/sqlite/deliveries';
import { sqliteRetention } from '../../src/stores/sqlite/retention';
import { turnMemory, WriteTurns } from '../../src/stores/sqlite/write-turns';
import { noon } from '../builders';
import { FakeClock } from '../fake-clock';
import { LogBook } from '../log-book';
import { tempFile } from '../temp-folder';
import { insertOldRows, makeFile, rowsOfEach } from './old-rows';

const minute = 60_000;
const firstRound = 5_000;
const day = 24 * 60 * minute;
const events = 6_250;
const rows = rowsOfEach * events;

/** A database that counts the rows that each change touches, those that go with others included. */
class CountingDatabase extends SqliteDatabase {
  /** One number for each change that touched any. */
  readonly touched: number[] = [];
  /** How often a transaction was asked for. */
  asked = 0;

  override write<Result>(work: () => Result): Promise<Result> {
    return super.write(this.#counted(work));
  }

  override async writeFleeting<Result>(work: () => Result): Promise<Result> {
    const result = await super.writeFleeting(this.#counted(work));
    this.onCommit();
    return result;
  }

  /** Is called within each change. */
  onChange: () => void = () => {};
  /** Is called when a change that need not wait for the disk is committed. */
  onCommit: () => void = () => {};

  count(table: string): number {
    return this.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? -1;
  }

  #counted<Result>(work: () => Result): () => Result {
    this.asked += 1;
    return () => {
      const before = this.#changes();
      const result = work();
      const count = this.#changes() - before;
      if (count > 0) this.touched.push(count);
      this.onChange();
      return result;
    };
  }

  #changes(): number {
    return this.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0;
  }
}

let db: CountingDatabase;
let clock: FakeClock;
let housekeeper: Housekeeper;

beforeEach(async () => {
  const file = tempFile();
  const trade = await makeFile(file);
  db = new CountingDatabase(file);
  insertOldRows(db, trade, events);
  clock = new FakeClock(noon + 100 * day);
  housekeeper = new Housekeeper({
    deliveries: sqliteDeliveries(db),
    retention: sqliteRetention(db),
    keep: resolveRetention(),
    clock,
    log: new LogBook().log,
  });
  housekeeper.start();
  onTestFinished(async () => {
    await housekeeper.stop();
    await db.close();
  });
});

const tables = ['events', 'account_events', 'notifications', 'deliveries', 'attempts'];

describe('pruning 50,000 rows', () => {
  test('takes a few hundred of them at a time', async () => {
    expect(rows).toBe(50_000);
    await clock.advance(2 * minute);
    expect(tables.map((table) => db.count(table))).toEqual([0, 0, 0, 0, 0]);
    expect(db.touched.reduce((sum, count) => sum + count, 0)).toBe(rows);
    expect(Math.max(...db.touched)).toBeLessThanOrEqual(256);
  }, 30_000);

  test('lets others write between two steps', async () => {
    await clock.advance(firstRound + 1);
    const left = db.count('deliveries');
    expect(left).toBeLessThan(events);
    expect(left).toBeGreaterThan(0);
    await db.write(() => db.run("UPDATE webhooks SET status = 'active'"));
    expect(db.count('deliveries')).toBe(left);
    await clock.advance(minute);
    expect(db.count('deliveries')).toBe(0);
  }, 30_000);

  test('asks for no transaction while all is to stay, but for the one that sees what is overdue', async () => {
    clock.set(noon + 20 * day);
    await clock.advance(minute);
    expect([db.asked, db.touched]).toEqual([1, []]);
    expect(db.count('deliveries')).toBe(events);
  }, 30_000);

  test('ends a step once it has written for a few milliseconds, and continues there in the next', async () => {
    let now = 0;
    // Each portion seems to take a millisecond.
    const stopwatch = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1;
      return now;
    });
    onTestFinished(() => stopwatch.mockRestore());
    const { pruneNotifications } = sqliteRetention(db);
    const step = { before: noon + day, eventsBefore: 0, unread: true, limit: 1_000 };
    const first = await pruneNotifications({ ...step, after: null });
    expect(first.done).toBe(false);
    expect(db.touched).toHaveLength(3);
    expect(first.removed).toBe(2 * events - db.count('notifications'));
    expect(first.removed).toBeLessThan(200);
    const second = await pruneNotifications({ ...step, after: first.next });
    expect(second.removed).toBe(first.removed);
    expect(db.count('notifications')).toBe(2 * events - 2 * first.removed);
  });

  test('ends a transaction between two portions when another thread wants to write', async () => {
    const memory = turnMemory();
    const file = tempFile();
    const trade = await makeFile(file);
    const pruning = new CountingDatabase(file, { turns: { memory, yields: true } });
    insertOldRows(pruning, trade, 500);
    const other = new CountingDatabase(file);
    onTestFinished(async () => {
      await pruning.close();
      await other.close();
    });
    const api = new WriteTurns({ memory, yields: false });
    const seen: number[] = [];
    pruning.onChange = () => api.want(true);
    pruning.onCommit = () => {
      seen.push(other.count('deliveries'));
      api.want(false);
    };
    const step = { after: null, before: noon + day, eventsBefore: 0, limit: 250 };
    await sqliteRetention(pruning).pruneDeliveries(step);
    expect(seen[0]).toBeLessThan(500);
    expect(seen[0]).toBeGreaterThan(seen.at(-1) ?? 500);
  });
});
