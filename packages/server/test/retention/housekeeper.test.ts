import { beforeEach, describe, expect, test } from 'vitest';
import { Housekeeper } from '../../src/retention/housekeeper';
import type { PruneStep, RetentionStore } from '../../src/retention/retention-store';
import { StoreUnavailableError } from '../../src/store-unavailable-error';
import { noon } from '../builders';
import { FakeClock, settle } from '../fake-clock';
import { LogBook } from '../log-book';

const minute = 60_000;
const day = 24 * 60 * minute;

/** How much is left of each kind of thing, for a store that only counts. */
interface Left {
  overdue: number;
  idempotencyKeys: number;
  ofRemovedWebhooks: number;
  deliveries: number;
  notifications: number;
  events: number;
}

/** What a housekeeper asks of a store, in order. */
interface Asked {
  what: keyof Left;
  at: number;
  after?: string | null;
  before?: number;
}

let clock: FakeClock;
let book: LogBook;
let left: Left;
let asked: Asked[];
let failed: number[];
/** Set to make one kind of thing fail. */
let broken: keyof Left | null;

function take(what: keyof Left, limit: number, step: Partial<PruneStep> = {}): number {
  const { after, before } = step;
  asked.push({
    what,
    at: clock.now() - noon,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before: before - noon }),
  });
  if (what === broken) throw new StoreUnavailableError('SQLite: the disk is full');
  const count = Math.min(left[what], limit);
  left[what] -= count;
  return count;
}

function walk(what: keyof Left) {
  return async (step: PruneStep) => {
    const removed = take(what, step.limit, step);
    return { removed, next: left[what] > 0 ? `at ${left[what]}` : null };
  };
}

const retention: RetentionStore = {
  pruneDeliveries: walk('deliveries'),
  pruneEvents: walk('events'),
  pruneNotifications: walk('notifications'),
  pruneIdempotencyKeys: async ({ limit }) => take('idempotencyKeys', limit),
  pruneRemovedWebhooks: async ({ limit }) => take('ofRemovedWebhooks', limit),
  eraseDeleted: async () => true,
};

function open(): Housekeeper {
  const housekeeper = new Housekeeper({
    deliveries: { failOverdue: async ({ limit }) => take('overdue', limit) },
    retention,
    keep: { deliveries: 30, events: 40, notifications: 90 },
    clock,
    log: book.log,
    onFailed: (count) => failed.push(count),
  });
  housekeeper.start();
  return housekeeper;
}

const times = (what: keyof Left) => asked.filter((one) => one.what === what).length;

beforeEach(() => {
  clock = new FakeClock();
  book = new LogBook();
  asked = [];
  failed = [];
  broken = null;
  left = {
    overdue: 0,
    idempotencyKeys: 0,
    ofRemovedWebhooks: 0,
    deliveries: 0,
    notifications: 0,
    events: 0,
  };
});

describe('a housekeeper', () => {
  test('begins in a minute: first what is overdue, events last', async () => {
    const housekeeper = open();
    await clock.advance(minute - 1);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked.map(({ what }) => what)).toEqual([
      'overdue',
      'idempotencyKeys',
      'ofRemovedWebhooks',
      'deliveries',
      'notifications',
      'events',
    ]);
    await housekeeper.stop();
  });

  test('removes what is older than the days that each kind of thing is kept', async () => {
    const housekeeper = open();
    await clock.advance(minute);
    const cutoffs = asked.filter(({ before }) => before !== undefined);
    expect(cutoffs.map(({ what, before }) => [what, before])).toEqual([
      ['deliveries', minute - 30 * day],
      ['notifications', minute - 90 * day],
      ['events', minute - 40 * day],
    ]);
    await housekeeper.stop();
  });

  test('goes on until nothing is left, in small steps with a pause after each', async () => {
    left.overdue = 1_000;
    left.deliveries = 1_000;
    const housekeeper = open();
    await clock.advance(minute);
    expect(times('overdue')).toBe(1);
    expect(left.overdue).toBeGreaterThan(500);
    await clock.advance(minute / 2);
    expect([left.overdue, left.deliveries]).toEqual([0, 0]);
    const moments = asked.filter(({ what }) => what === 'deliveries').map(({ at }) => at);
    expect(moments.length).toBeGreaterThan(3);
    expect(new Set(moments).size).toBe(moments.length);
    await housekeeper.stop();
  });

  test('says what it did, and nothing when there was nothing to do', async () => {
    const housekeeper = open();
    await clock.advance(minute);
    expect(book.text).toEqual([]);
    left.overdue = 3;
    left.ofRemovedWebhooks = 700;
    await clock.advance(2 * minute);
    expect(await book.next('tidied up')).toMatchObject({
      level: 30,
      overdue: 3,
      ofRemovedWebhooks: 700,
    });
    expect(book.text).toHaveLength(1);
    expect(failed).toEqual([3]);
    await housekeeper.stop();
  });

  test('gives each kind of thing a few seconds of a round, and goes on there in the next', async () => {
    left.deliveries = 1_000_000;
    left.events = 10;
    const housekeeper = open();
    await clock.advance(1.9 * minute);
    expect(left.events).toBe(0);
    const first = left.deliveries;
    expect(first).toBeGreaterThan(0);
    const steps = times('deliveries');
    await clock.advance(0.2 * minute);
    const again = asked.filter(({ what }) => what === 'deliveries')[steps];
    expect(again).toMatchObject({ after: `at ${first}` });
    await housekeeper.stop();
  });

  test('fails what is overdue to the last one, however long that takes', async () => {
    left.overdue = 1_000_000;
    const housekeeper = open();
    await clock.advance(2 * minute);
    expect(left.overdue).toBe(0);
    expect(failed).toEqual([1_000_000]);
    await housekeeper.stop();
  }, 30_000);

  test('walks through what is kept once an hour, and looks at the rest each minute', async () => {
    const housekeeper = open();
    await clock.advance(60.5 * minute);
    expect([times('overdue'), times('idempotencyKeys'), times('events')]).toEqual([60, 60, 1]);
    left.events = 1;
    await clock.advance(minute);
    expect([times('overdue'), times('events'), left.events]).toEqual([61, 2, 0]);
    await housekeeper.stop();
  }, 30_000);

  test('tells of an error, goes on with the rest, and tries again in a minute', async () => {
    left.notifications = 5;
    left.events = 5;
    broken = 'notifications';
    const housekeeper = open();
    await clock.advance(minute);
    expect(await book.next('could not tidy up; trying again in a minute')).toMatchObject({
      level: 50,
      chore: 'notifications',
      err: { type: 'StoreUnavailableError' },
    });
    expect([left.notifications, left.events]).toEqual([5, 0]);
    broken = null;
    await clock.advance(minute);
    expect(left.notifications).toBe(0);
    await housekeeper.stop();
  });

  test('counts what it failed before an error came', async () => {
    left.overdue = 1_000;
    const housekeeper = open();
    await clock.advance(minute);
    const done = 1_000 - left.overdue;
    broken = 'overdue';
    await clock.advance(minute / 2);
    expect(failed).toEqual([done]);
    await housekeeper.stop();
  });

  test('begins nothing after it was stopped', async () => {
    const housekeeper = open();
    await housekeeper.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10 * minute);
    expect(asked).toEqual([]);
  });

  test('stops in the midst of a round, without the pause that it is in, and leaves no timer', async () => {
    left.deliveries = 1_000_000;
    const housekeeper = open();
    await clock.advance(minute + 50);
    const steps = asked.length;
    await housekeeper.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10 * minute);
    expect(asked).toHaveLength(steps);
  });

  test('waits for the step under way when it is stopped', async () => {
    let finish = () => {};
    const slow = new Promise<void>((done) => {
      finish = done;
    });
    const housekeeper = new Housekeeper({
      deliveries: {
        async failOverdue() {
          await slow;
          return 1;
        },
      },
      retention,
      keep: { deliveries: 30, events: 30, notifications: 90 },
      clock,
      log: book.log,
    });
    housekeeper.start();
    await clock.advance(minute);
    let stopped = false;
    const stopping = housekeeper.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(asked).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('is not put out by a clock that is set back', async () => {
    const housekeeper = open();
    await clock.advance(minute);
    clock.set(noon - 400 * day);
    left.events = 3;
    await clock.advance(61 * minute);
    expect(left.events).toBe(0);
    await housekeeper.stop();
  }, 30_000);
});
