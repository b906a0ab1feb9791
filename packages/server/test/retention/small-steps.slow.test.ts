import { Announcements } from '@tradepost/domain/events/announcements';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Housekeeper } from '../../src/retention/housekeeper';
import { resolveRetention } from '../../src/retention/retention';
import { createSqliteAccountStore } from '../../src/stores/sqlite/accounts';
import { SqliteDatabase } from '../../src/stores/sqlite/database';
import { createSqliteDeliveryStore } from '../../src/stores/sqlite/deliveries';
import { createPriorityMemory, WritePriority } from '../../src/stores/sqlite/group-commit';
import { createSqliteRetentionStore } from '../../src/stores/sqlite/retention';
import { createSqliteWebhookStore } from '../../src/stores/sqlite/webhooks';
import { CapturedLog } from '../helpers/captured-log';
import { tempFile } from '../helpers/temp-folder';
import { insertOldRows, makeFile, rowsOfEach } from './old-rows';

const minute = 60_000;
const firstRound = 5_000;
const day = 24 * 60 * minute;
const events = 6_250;
const rows = rowsOfEach * events;

/** A database that counts the rows that each change affects, including cascades. */
class CountingDatabase extends SqliteDatabase {
  /** The number of rows of each change that affected any. */
  readonly touched: number[] = [];
  /** The number of transactions. */
  transactions = 0;

  override write<Result>(work: () => Result): Promise<Result> {
    return super.write(this.#counted(work));
  }

  override writeRelaxed<Result>(work: () => Result): Promise<Result> {
    return super.writeRelaxed(this.#counted(work));
  }

  /** Called after each query for rows: each portion of a step has one. */
  onQuery: () => void = () => {};

  override all<Row>(sql: string, ...values: unknown[]): Row[] {
    const rows = super.all<Row>(sql, ...values);
    this.onQuery();
    return rows;
  }

  count(table: string): number {
    return this.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? -1;
  }

  #counted<Result>(work: () => Result): () => Result {
    this.transactions += 1;
    return () => {
      const before = this.#changes();
      const result = work();
      const count = this.#changes() - before;
      if (count > 0) this.touched.push(count);
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
    accounts: createSqliteAccountStore(db, new Announcements()),
    deliveries: createSqliteDeliveryStore(db),
    retention: createSqliteRetentionStore(db),
    webhooks: createSqliteWebhookStore(db, new Announcements()),
    newId: createIdGenerator(),
    disableAfterDays: 3,
    retentionDays: resolveRetention(),
    clock,
    log: new CapturedLog().log,
  });
  housekeeper.start();
  onTestFinished(async () => {
    await housekeeper.stop();
    await db.close();
  });
});

const tables = ['events', 'account_events', 'notifications', 'deliveries', 'attempts'];

describe('the pruning of 50,000 rows', () => {
  test('deletes at most 500 items at a time, with their dependent rows', async () => {
    expect(rows).toBe(50_000);
    await clock.advance(2 * minute);
    expect(tables.map((table) => db.count(table))).toEqual([0, 0, 0, 0, 0]);
    const noted = db.touched.reduce((sum, count) => sum + count, 0) - rows;
    // Each portion notes how far the logs were pruned, in one row for each account.
    expect(noted).toBeGreaterThan(0);
    expect(noted).toBeLessThan(rows / 50);
    // A delivery has two attempts. A notification removes on average half an event and a log entry.
    expect(Math.max(...db.touched)).toBeLessThanOrEqual(500 * 3);
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

  test('starts no transaction if nothing is old, except for overdue deliveries', async () => {
    clock.set(noon + 20 * day);
    await clock.advance(minute);
    expect([db.transactions, db.touched]).toEqual([1, []]);
    expect(db.count('deliveries')).toBe(events);
  }, 30_000);

  describe('by single steps', () => {
    const step = { before: noon + day, eventsBefore: 0, unread: true, limit: 1_000 };
    const memory = createPriorityMemory();
    const api = new WritePriority({ memory, yields: false });
    let pruning: CountingDatabase;

    beforeEach(async () => {
      const file = tempFile();
      const trade = await makeFile(file);
      pruning = new CountingDatabase(file, { priority: { memory, yields: true } });
      insertOldRows(pruning, trade, 500);
      onTestFinished(async () => {
        api.setPending(false);
        await pruning.close();
      });
    });

    /** Makes each reading of the stopwatch a millisecond later than the one before: one portion lies between two. */
    function slowTime(): void {
      let now = 0;
      const stopwatch = vi.spyOn(performance, 'now').mockImplementation(() => {
        now += 1;
        return now;
      });
      onTestFinished(() => stopwatch.mockRestore());
    }

    test('ends a step once it has written for 3 ms, and continues in the next', async () => {
      slowTime();
      const { pruneNotifications } = createSqliteRetentionStore(pruning);
      const first = await pruneNotifications({ ...step, after: null });
      expect(first.done).toBe(false);
      expect(pruning.touched).toHaveLength(1);
      expect(first.removed).toBe(1_000 - pruning.count('notifications'));
      expect(first.removed).toBeLessThan(200);
      const second = await pruneNotifications({ ...step, after: first.next });
      expect(second.removed).toBe(first.removed);
      expect(pruning.count('notifications')).toBe(1_000 - 2 * first.removed);
    });

    test('writes for 15 ms once another thread has delayed it', async () => {
      slowTime();
      const { pruneNotifications } = createSqliteRetentionStore(pruning);
      const short = await pruneNotifications({ ...step, after: null });
      expect(short.waitedMs).toBeLessThan(4);
      api.setPending(true);
      const long = await pruneNotifications({ ...step, after: short.next });
      expect(long.waitedMs).toBeGreaterThan(4);
      expect(long.removed).toBeGreaterThan(2.5 * short.removed);
    });

    test('ends a step after a portion when another thread wants to write', async () => {
      const stopwatch = vi.spyOn(performance, 'now').mockReturnValue(1);
      onTestFinished(() => stopwatch.mockRestore());
      pruning.onQuery = () => api.setPending(true);
      const { pruneDeliveries } = createSqliteRetentionStore(pruning);
      const request = { ...step, after: null, limit: 500 };
      // The first query examines rows before the step writes.
      const first = pruneDeliveries(request);
      api.setPending(false);
      const { removed, done, isCut } = await first;
      expect([done, isCut]).toEqual([false, true]);
      expect(removed).toBe(500 - pruning.count('deliveries'));
      expect(removed).toBeGreaterThan(0);
      // Three rows each: a portion has at most a hundred.
      expect(removed).toBeLessThanOrEqual(33);
    });
  });
});
