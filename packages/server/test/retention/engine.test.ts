import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Retention } from '../../src/retention/retention';
import { type RunningServer, type ServerOptions, startServer } from '../../src/runtime/server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../src/stores/store';
import { CapturedLog } from '../helpers/captured-log';
import { Receiver, respond } from '../helpers/receiver';
import { Trade } from '../helpers/trade';
import { changeAccount } from '../stores/change-account';

const minute = 60_000;
const day = 24 * 60 * minute;

let clock: FakeClock;
let logs: CapturedLog;

beforeEach(() => {
  clock = new FakeClock();
  logs = new CapturedLog();
});

function start(store: Store, options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const address = { port: 0, host: '127.0.0.1', rateLimit: 100 };
  return startServer({ store, log: logs.log, clock, ...address, ...options });
}

/** Starts a server that has delivered an event to the buyer. Returns how many deliveries are left, and its account. */
async function openDelivered(retention?: Partial<Retention>) {
  const store = openSqliteStore(':memory:');
  const server = await start(store, {
    webhookPolicy: insecureWebhookPolicy,
    ...(retention && { retention }),
  });
  onTestFinished(() => server.close());
  const trade = await Trade.open(store);
  const receiver = await Receiver.open(respond(200));
  await trade.subscribe(trade.buyer, ['order.created'], { url: receiver.origin });
  await trade.place();
  await logs.next('attempt');
  const { accountId } = trade.buyer;
  const left = async () => {
    const page = { after: null, limit: 10 };
    return (await store.deliveryLog.listDeliveries(accountId, {}, page)).length;
  };
  return { store, accountId, left };
}

test('a server keeps deliveries for 30 days by default', async () => {
  const { left } = await openDelivered();
  clock.set(noon + 29 * day);
  await clock.advance(2 * minute);
  expect(await left()).toBe(1);
  clock.set(noon + 31 * day);
  await clock.advance(61 * minute);
  expect(await left()).toBe(0);
}, 30_000);

test('a server keeps deliveries for the configured time', async () => {
  const { left } = await openDelivered({ deliveries: 2 });
  clock.set(noon + 3 * day);
  await clock.advance(2 * minute);
  expect(await left()).toBe(0);
  expect(await logs.next('housekeeping done')).toMatchObject({ deliveries: 1 });
});

test('a server keeps deliveries of an account for the time that is set while it runs', async () => {
  const { store, accountId, left } = await openDelivered();
  clock.set(noon + 3 * day);
  await clock.advance(2 * minute);
  expect(await left()).toBe(1);
  await changeAccount(store, accountId, (found) => ({ ...found, keepDeliveries: 2 }));
  await clock.advance(60 * minute);
  expect(await left()).toBe(0);
  expect(logs.text.join()).toContain('"accountRetention":1');
}, 30_000);

/** Starts a server with an order of noon, and counts its remaining notifications and events. */
async function placeOne(read: boolean, retention: Partial<Retention>) {
  const store = openSqliteStore(':memory:');
  const server = await start(store, { retention });
  onTestFinished(() => server.close());
  const trade = await Trade.open(store);
  await trade.place();
  const accounts = [trade.buyer, trade.seller, trade.agent].map(({ accountId }) => accountId);
  const list = (accountId: string) =>
    store.notifications.listNotifications(accountId, {}, { after: null, limit: 10 });
  for (const accountId of read ? accounts : []) {
    for (const { id } of await list(accountId)) await store.notifications.markRead(accountId, id);
  }
  return async () => {
    let [notifications, events] = [0, 0];
    for (const accountId of accounts) {
      notifications += (await list(accountId)).length;
      events += (await store.events.readEvents(accountId, 0, 10)).length;
    }
    return { notifications, events };
  };
}

test.each([
  ['that were never read', false, 40],
  ['that were read', true, 20],
])(
  'notifications %s are removed after their retention, with their events',
  async (_, read, days) => {
    const kept = { events: 5, notifications: 20, unreadNotifications: 40 };
    const left = await placeOne(read, kept);
    const all = await left();
    expect(Math.min(all.notifications, all.events)).toBeGreaterThan(0);
    clock.set(noon + days * day - 10 * minute);
    await clock.advance(5 * minute);
    expect(await left()).toEqual(all);
    await clock.advance(10 * minute);
    expect(await left()).toEqual({ notifications: 0, events: 0 });
  },
);

test('a server that is stopped during a long pruning stops after the current step', async () => {
  const store = openSqliteStore(':memory:');
  const server = await start(store);
  const trade = await Trade.open(store);
  for (let count = 0; count < 100; count += 1) await trade.place();
  const page = { after: null, limit: 1 };
  const oldest = async () =>
    (await store.notifications.listNotifications(trade.buyer.accountId, {}, page)).length;
  clock.set(noon + 181 * day);
  await clock.advance(5_000);
  expect(await oldest()).toBe(1);
  // No time passes from here on, so the stop does not wait for a pause.
  await server.close();
  expect(clock.pendingTimers).toBe(0);
});
