import { accountKinds } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createStore } from '../../../src/stores/sqlite/sqlite-store';
import { PlannedDatabase } from '../../helpers/planned-database';
import { Trade } from '../../helpers/trade';

let db: PlannedDatabase;
let trade: Trade;

beforeEach(async () => {
  db = new PlannedDatabase(':memory:');
  onTestFinished(() => db.close());
  trade = await Trade.open(createStore(db));
  await trade.subscribe(trade.buyer, ['order.created']);
});

/** Returns which tables were read how since the last call, each step once, sorted. */
function steps(): string[] {
  const found = db.plans.filter((step) => /^(SEARCH|SCAN)/.test(step));
  db.plans.length = 0;
  return [...new Set(found)].sort();
}

test('the timeline of an order is found by its events, and what they caused by indexes', async () => {
  const order = await trade.place();
  steps();
  const limits = { entries: 100, attempts: 10 };
  await trade.store.timelines.readPast(trade.buyer.accountId, order.id, limits);
  expect(steps()).toEqual([
    'SEARCH account_events USING INDEX account_events_of_event (event_id=?)',
    'SEARCH attempts USING PRIMARY KEY (delivery_seq=?)',
    'SEARCH d USING INDEX deliveries_of_event (event_id=?)',
    'SEARCH deliveries USING COVERING INDEX sqlite_autoindex_deliveries_1 (id=?)',
    'SEARCH event_logs USING PRIMARY KEY (account_id=?)',
    'SEARCH events USING INDEX events_of_order (order_id=?)',
    'SEARCH events USING PRIMARY KEY (id=?)',
    'SEARCH notifications USING INDEX notifications_of_event (event_id=?)',
    'SEARCH orders USING PRIMARY KEY (id=?)',
    'SEARCH queues USING PRIMARY KEY (webhook_id=?)',
    'SEARCH webhooks USING PRIMARY KEY (id=?)',
  ]);
});

test.each(accountKinds)(
  'what an account of kind %s has is counted in ranges of indexes',
  async (kind) => {
    steps();
    await trade.store.summaries.countAccount(trade[kind], 1_001, noon);
    expect(steps()).toEqual([
      'SCAN (subquery-1)',
      'SEARCH notifications USING COVERING INDEX notifications_of_account_by_read (account_id=? AND read=?)',
      `SEARCH orders USING COVERING INDEX orders_of_${kind}_by_status (${kind}_id=? AND status=?)`,
      'SEARCH queues USING PRIMARY KEY (webhook_id=?)',
      'SEARCH webhooks USING INDEX webhooks_of_account (account_id=?)',
    ]);
  },
);
