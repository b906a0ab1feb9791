import { randomUUID } from 'node:crypto';
import { openSqliteStore, openStore, type Store, systemClock } from '@tradepost/server';
import { machineTime } from './loops';
import { serveParent } from './serve-parent';

const leaseMs = 25_000;
/** How often a claim is tried. The store cancels a statement after five seconds. */
const maxTries = 40;

/** A claim: what it leased, and what it cost. */
interface Claim {
  leased: Awaited<ReturnType<Store['deliveries']['leaseDue']>>;
  durationMs: number;
  /** How often it was tried before, because a statement took too long. */
  failures: number;
}

function readClock({ clock = systemClock }: Store): number {
  return clock.now();
}

/** Claims deliveries as a worker does: it finds out when the next one is due, and leases what is due. */
async function claim(store: Store, limit: number): Promise<Claim> {
  const startedAt = machineTime();
  for (let failures = 0; ; failures += 1) {
    try {
      const now = readClock(store);
      const dueAt = await store.deliveries.nextDueAt();
      if (dueAt === null || dueAt > now) throw new RangeError('There was nothing to claim.');
      const lease = { leaseUntil: now + leaseMs, leaseToken: randomUUID() };
      const leased = await store.deliveries.leaseDue({ now, ...lease, limit });
      if (leased.length === 0) throw new RangeError('There was nothing to lease.');
      return { leased, durationMs: machineTime() - startedAt, failures };
    } catch (error) {
      if (error instanceof RangeError || failures === maxTries) throw error;
    }
  }
}

/** Returns leased deliveries to their queues, behind all others. */
async function putBack(store: Store, leased: Claim['leased']): Promise<void> {
  const now = readClock(store);
  const results = leased.map(({ id: deliveryId, leaseToken, attemptCount }) => ({
    deliveryId,
    leaseToken,
    number: attemptCount,
    attempt: null,
    state: 'pending' as const,
    nextAttemptAt: now,
  }));
  await store.deliveries.recordAttempts(results, now);
}

/** What to claim. */
interface ClaimsSpec {
  /** The URL of a PostgreSQL database, or a SQLite file, whose commits then do not wait for the disk. */
  database: string;
  /** How many claims to make after the first. */
  claims: number;
  /** How many deliveries to lease at most with each. */
  limit: number;
}

/** The times of claims, in milliseconds. */
export interface ClaimTimes {
  /** The first claim of a store that was just opened, and how often it was tried before because a statement took too long. */
  first: number;
  failures: number;
  /** Those after it. */
  later: number[];
  /** How many deliveries each leased. */
  leased: number;
}

const operations = {
  /** Opens a store and claims due deliveries repeatedly. Each time, they are put back. */
  async claim({ database, claims, limit }: ClaimsSpec): Promise<ClaimTimes> {
    const isSqlite = !database.startsWith('postgres:');
    const store = isSqlite
      ? openSqliteStore(database, { synchronous: 'off' })
      : await openStore(database);
    const first = await claim(store, limit);
    await putBack(store, first.leased);
    const later: number[] = [];
    for (let number = 1; number <= claims; number += 1) {
      const { leased, durationMs } = await claim(store, limit);
      later.push(durationMs);
      await putBack(store, leased);
    }
    await store.close();
    const { durationMs, failures, leased } = first;
    return { first: durationMs, failures, later, leased: leased.length };
  },
};

/** The operations of this process. */
export type ClaimsOperations = typeof operations;

serveParent(operations);
