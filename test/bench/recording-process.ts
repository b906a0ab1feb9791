import { randomUUID } from 'node:crypto';
import { openSqliteStore } from '@tradepost/server';
import { machineTime } from './loops';
import { serveParent } from './serve-parent';

const leaseMs = 25_000;
/** As many as a worker leases at once. */
const limit = 64;

/** What to record. */
interface RecordingSpec {
  /** A SQLite file with at least so many due deliveries. */
  file: string;
  attempts: number;
  /** Whether to measure elapsed time, with commits that wait for the disk as those of a server do; otherwise processor time. */
  isDurable: boolean;
}

const operations = {
  /** Leases due deliveries and records an attempt of each. Returns how many microseconds the recording of an attempt takes. */
  async record({ file, attempts, isDurable }: RecordingSpec): Promise<number> {
    const store = openSqliteStore(file, isDurable ? {} : { synchronous: 'off' });
    const readTime = () => {
      const { user, system } = process.cpuUsage();
      return isDurable ? machineTime() * 1_000 : user + system;
    };
    let recorded = 0;
    let microseconds = 0;
    while (recorded < attempts) {
      const now = Date.now();
      const lease = { leaseUntil: now + leaseMs, leaseToken: randomUUID(), limit };
      const leased = await store.deliveries.leaseDue({ now, ...lease });
      if (leased.length === 0) throw new RangeError('There was nothing to lease.');
      const results = leased.map(({ id: deliveryId, leaseToken, attemptCount, url }, index) => ({
        deliveryId,
        leaseToken,
        number: attemptCount + 1,
        attempt: {
          startedAt: now,
          durationMs: 5 + (index % 40),
          url,
          headers: { 'Content-Type': 'application/json', 'webhook-id': deliveryId },
          status: 204,
          error: null,
          responseSnippet: '',
          retryAfter: null,
        },
        state: 'delivered' as const,
        nextAttemptAt: null,
      }));
      const startedAt = readTime();
      await store.deliveries.recordAttempts(results, now);
      microseconds += readTime() - startedAt;
      recorded += results.length;
    }
    await store.close();
    return microseconds / recorded;
  },
};

/** The operations of this process. */
export type RecordingOperations = typeof operations;

serveParent(operations);
