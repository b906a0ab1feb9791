import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type {
  Pruned,
  PruneStep,
  RetentionStore,
  ScanPruned,
} from '@tradepost/domain/retention/retention-store';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock, settle } from '@tradepost/domain/test/fake-clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { Housekeeper } from '../../src/retention/housekeeper';
import { resolveRetention } from '../../src/retention/retention';
import { CapturedLog } from '../helpers/captured-log';

const minute = 60_000;
const firstRound = 5_000;
const day = 24 * 60 * minute;

/** The remaining rows of each type, in a store that only counts. */
interface Left {
  overdue: number;
  idempotencyKeys: number;
  signIns: number;
  deletedWebhooks: number;
  statistics: number;
  deliveries: number;
  notifications: number;
  unreadNotifications: number;
  events: number;
  auditLog: number;
}

/** A call of the store by the housekeeper. */
interface StoreCall {
  what: keyof Left;
  at: number;
  after?: string | null;
  before?: number;
  since?: number;
}

let clock: FakeClock;
let logs: CapturedLog;
let left: Left;
let calls: StoreCall[];
let failed: number[];
/** Set to make one type of data fail. */
let broken: keyof Left | null;
/** The duration of a step of the store, in milliseconds. */
let busyMs: number;
/** How long others delay the step, in milliseconds. */
let waitedMs: number;
/** How many items a step of a scan has time to remove. */
let mostAtOnce: number;
/** How many deliveries each step was to examine. */
let limits: number[];
let erasures: number;
/** Whether an erasure can run. */
let erasable: boolean;

function take(
  what: keyof Left,
  limit: number,
  step: Partial<PruneStep & { since: number }> = {},
): number {
  const { after, before, since } = step;
  calls.push({
    what,
    at: clock.now() - noon,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before: before - noon }),
    ...(since !== undefined && { since: since - noon }),
  });
  if (what === broken) throw new StoreUnavailableError('SQLite: the disk is full');
  const count = Math.min(left[what], limit);
  left[what] -= count;
  return count;
}

async function drain(
  what: keyof Left,
  limit: number,
  step: Partial<PruneStep> = {},
): Promise<Pruned> {
  return { removed: take(what, limit, step), busyMs, waitedMs };
}

async function scan(what: keyof Left, step: PruneStep): Promise<ScanPruned> {
  if (what === 'deliveries') limits.push(step.limit);
  const isCut = mostAtOnce < step.limit;
  const removed = take(what, Math.min(step.limit, mostAtOnce), step);
  return { removed, next: `at ${left[what]}`, done: left[what] === 0, isCut, busyMs, waitedMs };
}

const retention: RetentionStore = {
  pruneDeliveries: (step) => scan('deliveries', step),
  pruneEvents: (step) => scan('events', step),
  pruneNotifications: (step) => scan(step.unread ? 'unreadNotifications' : 'notifications', step),
  pruneAuditLog: (step) => scan('auditLog', step),
  // Those with times of their own have tests with a real store.
  findRetainingAccount: async () => null,
  pruneWebhookDeliveries: (step) => scan('deliveries', step),
  pruneAccountNotifications: ({ limit }) => drain('notifications', limit),
  pruneIdempotencyKeys: ({ limit }) => drain('idempotencyKeys', limit),
  pruneSignIns: ({ limit }) => drain('signIns', limit),
  pruneRemovedWebhooks: ({ limit }) => drain('deletedWebhooks', limit),
  pruneStats: ({ before, limit }) => drain('statistics', limit, { before }),
  eraseDeleted: async () => {
    erasures += 1;
    return erasable;
  },
};

const accounts = { findAccount: async () => null };

/** No endpoint fails. */
const disabling = {
  webhooks: { listFailing: async () => [], disableWebhook: async () => null },
  newId: createIdGenerator(),
  disableAfterDays: 3,
};

function open(): Housekeeper {
  const housekeeper = new Housekeeper({
    accounts,
    deliveries: { failOverdue: async ({ limit }) => take('overdue', limit) },
    retention,
    retentionDays: {
      deliveries: 30,
      events: 40,
      notifications: 90,
      unreadNotifications: 180,
      auditLog: 400,
    },
    ...disabling,
    clock,
    log: logs.log,
    onFailed: (count) => failed.push(count),
  });
  housekeeper.start();
  return housekeeper;
}

const times = (what: keyof Left) => calls.filter((one) => one.what === what).length;

beforeEach(() => {
  clock = new FakeClock();
  logs = new CapturedLog();
  calls = [];
  failed = [];
  broken = null;
  busyMs = 5;
  waitedMs = 0;
  mostAtOnce = Number.POSITIVE_INFINITY;
  limits = [];
  erasures = 0;
  erasable = true;
  left = {
    overdue: 0,
    idempotencyKeys: 0,
    signIns: 0,
    deletedWebhooks: 0,
    statistics: 0,
    deliveries: 0,
    notifications: 0,
    unreadNotifications: 0,
    events: 0,
    auditLog: 0,
  };
});

describe('the housekeeper', () => {
  test('erases the data of deleted webhooks once their rows are removed, and in its first round', async () => {
    const housekeeper = open();
    await clock.advance(firstRound);
    expect(erasures).toBe(1);
    await clock.advance(3 * minute);
    expect(erasures).toBe(1);
    left.deletedWebhooks = 1_000;
    await clock.advance(minute + firstRound);
    expect([left.deletedWebhooks, erasures]).toEqual([0, 2]);
    await housekeeper.stop();
  });

  test('erases in a later round when others prevented it', async () => {
    const housekeeper = open();
    erasable = false;
    await clock.advance(firstRound);
    await clock.advance(minute);
    expect(erasures).toBe(2);
    erasable = true;
    await clock.advance(minute);
    expect(erasures).toBe(3);
    await clock.advance(5 * minute);
    expect(erasures).toBe(3);
    await housekeeper.stop();
  });

  test('starts a few seconds after the server, with overdue deliveries first and events last', async () => {
    const housekeeper = open();
    await clock.advance(firstRound - 1);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect(calls.map(({ what }) => what)).toEqual([
      'overdue',
      'idempotencyKeys',
      'signIns',
      'deletedWebhooks',
      'statistics',
      'statistics',
      'deliveries',
      'unreadNotifications',
      'notifications',
      'auditLog',
      'events',
    ]);
    await housekeeper.stop();
  });

  test('removes what is older than the retention of each type of data', async () => {
    const housekeeper = open();
    await clock.advance(firstRound);
    const cutoffs = calls.filter(({ before }) => before !== undefined);
    expect(cutoffs.map(({ what, before, since }) => [what, before, since])).toEqual([
      ['statistics', firstRound - 25 * 60 * minute, undefined],
      ['statistics', firstRound - 35 * day, undefined],
      ['deliveries', firstRound - 30 * day, undefined],
      ['unreadNotifications', firstRound - 180 * day, undefined],
      ['notifications', firstRound - 90 * day, firstRound - 180 * day],
      ['auditLog', firstRound - 400 * day, undefined],
      ['events', firstRound - 40 * day, undefined],
    ]);
    await housekeeper.stop();
  });

  test('continues until nothing is left, in small steps with a pause after each', async () => {
    left.overdue = 1_000;
    left.deliveries = 2_000;
    const housekeeper = open();
    await clock.advance(firstRound);
    expect(times('overdue')).toBe(1);
    expect(left.overdue).toBeGreaterThan(500);
    await clock.advance(minute / 2);
    expect([left.overdue, left.deliveries]).toEqual([0, 0]);
    const starts = calls.filter(({ what }) => what === 'deliveries').map(({ at }) => at);
    expect(starts.length).toBeGreaterThan(3);
    expect(new Set(starts).size).toBe(starts.length);
    await housekeeper.stop();
  });

  test('logs what it did, and nothing when there was nothing to do', async () => {
    const housekeeper = open();
    await clock.advance(minute);
    expect(logs.text).toEqual([]);
    left.overdue = 3;
    left.deletedWebhooks = 700;
    await clock.advance(2 * minute);
    expect(await logs.next('housekeeping done')).toMatchObject({
      level: 30,
      overdue: 3,
      deletedWebhooks: 700,
    });
    expect(logs.text).toHaveLength(1);
    expect(failed).toEqual([3]);
    await housekeeper.stop();
  });

  test.each([
    [2, 0, 4],
    [9, 0, 18],
    [4, 3, 2],
    [3, 10, 1],
    [60, 0, 100],
    [40, 12, 12],
  ])('pauses, after a step of %i ms that waited %i ms, for %i ms', async (took, waited, pause) => {
    busyMs = took;
    waitedMs = waited;
    left.deliveries = 10_000;
    const housekeeper = open();
    await clock.advance(2 * minute);
    const starts = calls.filter(({ what }) => what === 'deliveries').map(({ at }) => at);
    const [first = 0, second = 0, third = 0] = starts;
    expect([second - first, third - second]).toEqual([pause, pause]);
    await housekeeper.stop();
  });

  test('gives each type of data a few seconds of a round, and continues in the next', async () => {
    left.deliveries = 1_000_000;
    left.notifications = 10;
    const housekeeper = open();
    await clock.advance(firstRound + 1_000);
    expect(left.notifications).toBe(10);
    while (left.notifications > 0) await clock.advance(50);
    expect(clock.now() - noon).toBeLessThan(firstRound + 3_000);
    const first = left.deliveries;
    expect(first).toBeGreaterThan(0);
    const steps = times('deliveries');
    while (times('deliveries') === steps) await clock.advance(50);
    const again = calls.filter(({ what }) => what === 'deliveries')[steps];
    expect(again).toMatchObject({ after: `at ${first}` });
    await housekeeper.stop();
  });

  test('prunes events only in rounds in which nothing else has more to do', async () => {
    left.deliveries = 300_000;
    left.events = 10;
    const housekeeper = open();
    await clock.advance(firstRound + 1_000);
    while (left.deliveries > 0) {
      expect(times('events')).toBe(0);
      await clock.advance(100);
    }
    await clock.advance(1_000);
    expect(left.events).toBe(0);
    await housekeeper.stop();
  });

  test('examines about as many items as a step has time to remove, and more again once a step is complete', async () => {
    left.deliveries = 5_000;
    mostAtOnce = 40;
    const housekeeper = open();
    await clock.advance(firstRound + 100);
    expect(limits.slice(0, 3)).toEqual([500, 80, 80]);
    mostAtOnce = 5;
    await clock.advance(100);
    expect(limits.at(-1)).toBe(50);
    const before = limits.length;
    mostAtOnce = Number.POSITIVE_INFINITY;
    await clock.advance(200);
    expect(limits.slice(before, before + 5)).toEqual([50, 100, 200, 400, 500]);
    await housekeeper.stop();
  });

  test('starts the next round at once as long as one leaves work, each with overdue deliveries', async () => {
    left.deliveries = 1_000_000;
    const housekeeper = open();
    await clock.advance(20_000);
    expect(left.deliveries).toBeGreaterThan(0);
    const rounds = calls.filter(({ what }) => what === 'overdue').map(({ at }) => at);
    expect(rounds.length).toBeGreaterThan(5);
    const gaps = rounds.slice(1).map((at, index) => at - (rounds[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(3_000);
    while (left.deliveries > 0) await clock.advance(100);
    // The last round finds nothing, and the next is a minute later.
    await clock.advance(1_000);
    const before = times('overdue');
    await clock.advance(58_000);
    expect(times('overdue')).toBe(before);
    await clock.advance(2_000);
    expect(times('overdue')).toBe(before + 1);
    await housekeeper.stop();
  }, 30_000);

  test('logs its work once a minute while it continues, and the rest when it is done', async () => {
    busyMs = 6;
    left.deliveries = 4_500_000;
    const housekeeper = open();
    await clock.advance(firstRound + 1.5 * minute);
    expect(left.deliveries).toBeGreaterThan(0);
    expect(logs.text).toHaveLength(1);
    const first = await logs.next('housekeeping done');
    await clock.advance(minute);
    expect(left.deliveries).toBe(0);
    expect(logs.text).toHaveLength(2);
    const second = await logs.next('housekeeping done');
    expect(Number(first.deliveries) + Number(second.deliveries)).toBe(4_500_000);
    await housekeeper.stop();
    expect(logs.text).toHaveLength(2);
  }, 30_000);

  test('logs what it did so far when it is stopped', async () => {
    left.deliveries = 1_000_000;
    const housekeeper = open();
    await clock.advance(firstRound + 1_000);
    expect(logs.text).toEqual([]);
    await housekeeper.stop();
    const done = 1_000_000 - left.deliveries;
    expect(done).toBeGreaterThan(0);
    expect(await logs.next('housekeeping done')).toMatchObject({ deliveries: done });
  });

  test('fails all overdue deliveries, however long that takes', async () => {
    left.overdue = 1_000_000;
    const housekeeper = open();
    await clock.advance(2 * minute);
    expect(left.overdue).toBe(0);
    expect(failed).toEqual([1_000_000]);
    await housekeeper.stop();
  }, 30_000);

  test('continues each minute where its scans ended, and sometimes restarts them from the oldest row', async () => {
    const housekeeper = open();
    const starts = (what: keyof Left) =>
      calls.filter((one) => one.what === what && one.after === null).length;
    await clock.advance(firstRound + 10 * minute);
    expect([times('overdue'), times('idempotencyKeys'), times('events')]).toEqual([11, 11, 11]);
    expect([starts('deliveries'), starts('notifications'), starts('events')]).toEqual([1, 1, 1]);
    await clock.advance(52 * minute);
    expect([starts('deliveries'), starts('notifications'), starts('events')]).toEqual([2, 1, 1]);
    await clock.advance(day);
    expect([starts('notifications'), starts('unreadNotifications'), starts('events')]).toEqual([
      2, 2, 2,
    ]);
    await housekeeper.stop();
  }, 60_000);

  test('logs an error, continues with the rest, and tries again in a minute', async () => {
    left.notifications = 5;
    left.events = 5;
    broken = 'notifications';
    const housekeeper = open();
    await clock.advance(firstRound);
    expect(await logs.next('housekeeping failed; retrying in a minute')).toMatchObject({
      level: 50,
      task: 'notifications',
      err: { type: 'StoreUnavailableError' },
    });
    expect([left.notifications, left.events]).toEqual([5, 0]);
    broken = null;
    await clock.advance(minute);
    expect(left.notifications).toBe(0);
    await housekeeper.stop();
  });

  test('skips a failed type of data for a minute, even if other work makes rounds follow at once', async () => {
    left.notifications = 5;
    busyMs = 6;
    left.deliveries = 4_500_000;
    broken = 'notifications';
    const housekeeper = open();
    await clock.advance(firstRound + minute / 2);
    expect(times('notifications')).toBe(1);
    broken = null;
    await clock.advance(minute);
    expect(left.notifications).toBe(0);
    await housekeeper.stop();
  }, 30_000);

  test('counts the deliveries that it failed before an error', async () => {
    left.overdue = 1_000;
    const housekeeper = open();
    await clock.advance(firstRound);
    const done = 1_000 - left.overdue;
    broken = 'overdue';
    await clock.advance(minute / 2);
    expect(failed).toEqual([done]);
    await housekeeper.stop();
  });

  test('starts nothing after it was stopped', async () => {
    const housekeeper = open();
    await housekeeper.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10 * minute);
    expect(calls).toEqual([]);
  });

  test('stops during a round without waiting for its pause, and leaves no timer', async () => {
    left.deliveries = 1_000_000;
    const housekeeper = open();
    await clock.advance(firstRound + 50);
    const steps = calls.length;
    await housekeeper.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10 * minute);
    expect(calls).toHaveLength(steps);
  });

  test('waits for the current step when it is stopped', async () => {
    let finish = () => {};
    const slow = new Promise<void>((done) => {
      finish = done;
    });
    const housekeeper = new Housekeeper({
      accounts,
      deliveries: {
        async failOverdue() {
          await slow;
          return 1;
        },
      },
      retention,
      ...disabling,
      retentionDays: resolveRetention(),
      clock,
      log: logs.log,
    });
    housekeeper.start();
    await clock.advance(firstRound);
    let stopped = false;
    const stopping = housekeeper.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(calls).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('continues when the clock is set back', async () => {
    const housekeeper = open();
    await clock.advance(minute);
    clock.set(noon - 400 * day);
    left.events = 3;
    await clock.advance(61 * minute);
    expect(left.events).toBe(0);
    await housekeeper.stop();
  }, 30_000);
});
