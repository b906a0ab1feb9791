import { createIdGenerator, openSqliteStore } from '@tradepost/server';
import Database from 'better-sqlite3';
import { closedLoop, type LoopSize } from './closed-loop';
import type { CommitOptions } from './commit-options';
import { machineTime } from './machine-time';
import { serveParent } from './serve-parent';
import { placeOrder, type TradingAccounts } from './trading-accounts';

const leaseTime = 30_000;

/** Which orders to create, in which database, and how. */
interface OrdersSpec {
  file: string;
  trade: TradingAccounts;
  commits: CommitOptions;
  size: LoopSize;
}

const operations = {
  /** Creates orders through the store, without HTTP. Returns orders per second. */
  async placeOrders({ file, trade, commits, size }: OrdersSpec): Promise<number> {
    const store = openSqliteStore(file, commits);
    const newId = createIdGenerator();
    const perSecond = await closedLoop(size, () => placeOrder(store, trade, newId));
    await store.close();
    return perSecond;
  },

  /** Commits small rows one by one, each with `synchronous=FULL`. Returns commits per second. */
  commitRows({ file, seconds }: { file: string; seconds: number }): number {
    const connection = new Database(file);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.exec('CREATE TABLE marks (at REAL NOT NULL) STRICT');
    const insert = connection.prepare('INSERT INTO marks VALUES (?)');
    const startedAt = machineTime();
    let commits = 0;
    for (; machineTime() < startedAt + seconds * 1000; commits += 1) insert.run(machineTime());
    const perSecond = (commits / (machineTime() - startedAt)) * 1000;
    connection.close();
    return perSecond;
  },

  /**
   * Leases due deliveries repeatedly and returns each batch to the queue. Returns the milliseconds of each lease,
   * without the wait for the disk, which does not depend on the length of the queue.
   */
  async lease(options: { file: string; leases: number; limit: number }): Promise<number[]> {
    const store = openSqliteStore(options.file, { synchronous: 'off' });
    const durations: number[] = [];
    for (let number = 1; number <= options.leases; number += 1) {
      const now = Date.now();
      const lease = { leaseUntil: now + leaseTime, leaseToken: `lease ${number}` };
      const startedAt = machineTime();
      const leased = await store.deliveries.leaseDue({ now, ...lease, limit: options.limit });
      durations.push(machineTime() - startedAt);
      if (leased.length === 0) throw new Error('There was nothing to lease.');
      const putBack = leased.map(({ id: deliveryId, leaseToken, attemptCount }) => ({
        deliveryId,
        leaseToken,
        number: attemptCount,
        attempt: null,
        state: 'pending' as const,
        nextAttemptAt: now,
      }));
      await store.deliveries.recordAttempts(putBack, now);
    }
    await store.close();
    return durations;
  },
};

/** The operations of this process. */
export type StoreOperations = typeof operations;

serveParent(operations);
