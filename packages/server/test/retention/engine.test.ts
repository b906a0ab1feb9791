import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Retention } from '../../src/retention/retention';
import { startServer } from '../../src/server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { insecureWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { noon } from '../builders';
import { FakeClock } from '../fake-clock';
import { LogBook } from '../log-book';
import { answer, Receiver } from '../receiver';
import { Trade } from '../stores/trade';

const minute = 60_000;
const day = 24 * 60 * minute;

let clock: FakeClock;
let book: LogBook;

beforeEach(() => {
  clock = new FakeClock();
  book = new LogBook();
});

/** A server that has delivered an event to the buyer. */
async function deliverOne(retention?: Partial<Retention>): Promise<() => Promise<number>> {
  const store = openSqliteStore(':memory:');
  const server = await startServer({
    store,
    log: book.log,
    port: 0,
    host: '127.0.0.1',
    rateLimit: 100,
    webhookPolicy: insecureWebhookPolicy,
    clock,
    ...(retention && { retention }),
  });
  onTestFinished(() => server.close());
  const trade = await Trade.open(store);
  const receiver = await Receiver.open(answer(200));
  await trade.subscribe(trade.buyer, ['order.created'], { url: receiver.origin });
  await trade.place();
  await book.next('attempt');
  return async () => {
    const page = { after: null, limit: 10 };
    return (await store.deliveryLog.listDeliveries(trade.buyer.accountId, {}, page)).length;
  };
}

test('a server keeps deliveries for 30 days unless told', async () => {
  const left = await deliverOne();
  clock.set(noon + 29 * day);
  await clock.advance(2 * minute);
  expect(await left()).toBe(1);
  clock.set(noon + 31 * day);
  await clock.advance(61 * minute);
  expect(await left()).toBe(0);
}, 30_000);

test('a server keeps deliveries for as long as it is told', async () => {
  const left = await deliverOne({ deliveries: 2 });
  clock.set(noon + 3 * day);
  await clock.advance(2 * minute);
  expect(await left()).toBe(0);
  expect(await book.next('tidied up')).toMatchObject({ deliveries: 1 });
});
