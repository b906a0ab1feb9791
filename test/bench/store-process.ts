import { createIdGenerator, openSqliteStore } from '@tradepost/server';
import Database from 'better-sqlite3';
import { answerParent } from './answer-parent';
import { closedLoop, type LoopSize } from './closed-loop';
import type { CommitOptions } from './commit-options';
import { machineTime } from './machine-time';
import { placeOrder, type Trade } from './trade';

const leaseTime = 30_000;

/** Whose orders are to be placed, into which database, and how. */
interface OrdersWanted {
  file: string;
  trade: Trade;
  commits: CommitOptions;
  size: LoopSize;
}

const verbs = {
  /** Places orders by the store's own verb, with no HTTP around it. Returns orders per second. */
  async placeOrders({ file, trade, commits, size }: OrdersWanted): Promise<number> {
    const store = openSqliteStore(file, commits);
    const newId = createIdGenerator();
    const perSecond = await closedLoop(size, () => placeOrder(store, trade, newId));
    await store.close();
    return perSecond;
  },

  /** Commits one small row after the other, each with `synchronous=FULL`. Returns commits per second. */
  commitRows({ file, seconds }: { file: string; seconds: number }): number {
    const connection = new Database(file);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.exec('CREATE TABLE marks (at REAL NOT NULL) STRICT');
    const insert = connection.prepare('INSERT INTO marks VALUES (?)');
    const began = machineTime();
    let commits = 0;
    for (; machineTime() < began + seconds * 1000; commits += 1) insert.run(machineTime());
    const perSecond = (commits / (machineTime() - began)) * 1000;
    connection.close();
    return perSecond;
  },

  /**
   * Claims due deliveries again and again, and puts each batch back, so that as many stay queued. Returns
   * the milliseconds that each claim took, without the wait for the disk: that is the same however long
   * the queue is, and would hide what is not.
   */
  async claim(wanted: { file: string; claims: number; limit: number }): Promise<number[]> {
    const store = openSqliteStore(wanted.file, { synchronous: 'off' });
    const took: number[] = [];
    for (let number = 1; number <= wanted.claims; number += 1) {
      const now = Date.now();
      const lease = { leaseUntil: now + leaseTime, leaseToken: `claim ${number}` };
      const began = machineTime();
      const claimed = await store.deliveries.leaseDue({ now, ...lease, limit: wanted.limit });
      took.push(machineTime() - began);
      if (claimed.length === 0) throw new Error('There was nothing to claim.');
      const putBack = claimed.map(({ id: deliveryId, leaseToken, attemptCount }) => ({
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
    return took;
  },
};

/** What can be asked of it. */
export type StoreVerbs = typeof verbs;

answerParent(verbs);
