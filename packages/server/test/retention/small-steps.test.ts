import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Housekeeper } from '../../src/retention/housekeeper';
import { SqliteDatabase } from '../../src/stores/sqlite/database';
import { sqliteDeliveries } from '../../src/stores/sqlite/deliveries';
import { sqliteRetention } from '../../src/stores/sqlite/retention';
import { noon } from '../builders';
import { FakeClock } from '../fake-clock';
import { LogBook } from '../log-book';
import { tempFile } from '../temp-folder';
import { insertOldRows, makeFile, rowsOfEach } from './old-rows';

const minute = 60_000;
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
    this.asked += 1;
    return super.write(() => {
      const before = this.#changes();
      const result = work();
      const count = this.#changes() - before;
      if (count > 0) this.touched.push(count);
      return result;
    });
  }

  count(table: string): number {
    return this.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? -1;
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
    keep: { deliveries: 30, events: 30, notifications: 90 },
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
    await clock.advance(minute + 1);
    const left = db.count('deliveries');
    expect(left).toBeLessThan(events);
    await db.write(() => db.run("UPDATE webhooks SET status = 'active'"));
    expect(db.count('deliveries')).toBe(left);
    await clock.advance(minute);
    expect(db.count('deliveries')).toBe(0);
  }, 30_000);

  test('asks for no transaction while all is to stay, but for the one that sees what is overdue', async () => {
    clock.set(noon + 20 * day);
    await clock.advance(1.5 * minute);
    expect([db.asked, db.touched]).toEqual([1, []]);
    expect(db.count('deliveries')).toBe(events);
  }, 30_000);
});
