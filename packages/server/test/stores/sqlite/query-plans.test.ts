import { newDelivery } from '@tradepost/domain/deliveries/delivery';
import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { Announcements } from '@tradepost/domain/events/announcements';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import { placeOrder } from '@tradepost/domain/orders/order';
import {
  aCaller,
  aContext,
  aListing,
  anAccount,
  aWebhook,
  noon,
} from '@tradepost/domain/test/builders';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteAccountStore } from '../../../src/stores/sqlite/accounts';
import { createSqliteDeliveryLogStore } from '../../../src/stores/sqlite/delivery-log';
import { createSqliteEventStore } from '../../../src/stores/sqlite/events';
import { createSqliteListingStore } from '../../../src/stores/sqlite/listings';
import { createSqliteNotificationStore } from '../../../src/stores/sqlite/notifications';
import { createSqliteOrderStore } from '../../../src/stores/sqlite/orders';
import { createSqliteWebhookStore } from '../../../src/stores/sqlite/webhooks';
import { aKey } from '../../helpers/a-key';
import { expectDirect, PlannedDatabase } from '../../helpers/planned-database';

const db = new PlannedDatabase(':memory:');
const webhooks = createSqliteWebhookStore(db, new Announcements());
const log = createSqliteDeliveryLogStore(db, new Announcements());
const events = createSqliteEventStore(db);
const webhook = aWebhook();
const { accountId, id } = webhook;
const context = aContext();
const response = { status: 200, headers: {}, body: null };

beforeAll(async () => {
  const account = anAccount({ id: accountId });
  await createSqliteAccountStore(db, new Announcements()).addAccount(
    account,
    aKey({ accountId }).record,
  );
  await webhooks.addWebhook({ accountId, idempotencyKey: null, context }, () => ({
    webhook,
    response,
  }));
});
beforeEach(() => {
  db.plans.length = 0;
});
afterAll(() => db.close());

/** Queues a test event, whose delivery is then in the log. */
async function sample(): Promise<string> {
  const event = createTestEvent('order.created', context);
  const delivery = newDelivery(event, id, context);
  await log.enqueueTestDelivery(
    { accountId, webhookId: id, idempotencyKey: null, context },
    () => ({
      event,
      delivery,
      response,
    }),
  );
  return delivery.id;
}

const sinces = [undefined, noon];
/** Counts each plan step that reads deliveries. */
const deliverySteps = () => [
  ...new Set(db.plans.filter((step) => /(SEARCH|SCAN) deliveries/.test(step))),
];

/** What lists cost is measured in `list-costs.test.ts`. */
describe('by the query plans,', () => {
  test('keys are found by their hash and id, and listed by their account without a sort', async () => {
    const accounts = createSqliteAccountStore(db, new Announcements());
    const key = 'SEARCH api_keys USING PRIMARY KEY (id=?)';
    // Read only for sessions.
    const parent = 'SEARCH parents USING PRIMARY KEY (id=?) LEFT-JOIN';
    const getPlans = async (work: () => Promise<unknown>) => {
      db.plans.length = 0;
      await work();
      return [...db.plans];
    };
    expect(await getPlans(() => accounts.findKeyByHash('hash'))).toEqual([
      'SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_2 (hash=?)',
      parent,
      'SEARCH accounts USING PRIMARY KEY (id=?)',
    ]);
    expect(await getPlans(() => accounts.listKeys('usr_1'))).toEqual([
      'SEARCH api_keys USING INDEX api_keys_of_account (account_id=?)',
      parent,
    ]);
    // This query reads all keys, in the order of the table.
    expect(await getPlans(() => accounts.listKeys())).toEqual(['SCAN api_keys', parent]);
    expect(await getPlans(() => accounts.findKeyOwner('key_1'))).toEqual([key, parent]);
    // It is read first, and there is none to change.
    expect(await getPlans(() => accounts.revokeKey('key_1', noon))).toEqual([key, parent]);
  });

  test('the unread notifications from before a time are found by the index', async () => {
    const store = createSqliteNotificationStore(db);
    const limits = { before: 1, limit: 1_000 };
    await store.markAllRead(
      { accountId: 'usr_1', ...limits, idempotencyKey: null, context },
      (body) => ({ status: 200, headers: {}, body }),
    );
    expect(db.plans).toEqual([
      'SEARCH notifications USING COVERING INDEX notifications_of_account_by_read (account_id=? AND read=? AND created_at<?)',
      'SEARCH notifications USING PRIMARY KEY (id=?)',
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
    ]);
  });

  test('one notification and one order are found by their ID', async () => {
    await createSqliteNotificationStore(db).markRead('usr_1', 'ntf_1');
    await createSqliteOrderStore(db, new Announcements()).findOrder('ord_1');
    expect(db.plans).toEqual([
      'SEARCH notifications USING PRIMARY KEY (id=?)',
      'SEARCH notifications USING PRIMARY KEY (id=?)',
      'SEARCH orders USING PRIMARY KEY (id=?)',
    ]);
  });

  test.each(sinces)(
    'once a page is full, the rest is read down to its last one, since %s',
    async (since) => {
      await sample();
      db.plans.length = 0;
      const after = { createdAt: noon + 1, id: 'dlv_1' };
      const filter = since === undefined ? {} : { since };
      await log.listDeliveries(accountId, filter, { after, limit: 1 });
      const before = ' AND (created_at,id)<(?,?))';
      const range = 'SEARCH deliveries USING INDEX deliveries_of_webhook (webhook_id=? AND state=?';
      const downTo = `${range} AND (created_at,id)>(?,?)${before}`;
      expect(deliverySteps()).toEqual(
        since === undefined ? [`${range}${before}`, downTo] : [downTo],
      );
    },
  );

  test('the deliveries of an order or an event are found by its events', async () => {
    for (const filter of [{ orderId: 'ord_1' }, { eventId: 'evt_1', state: 'pending' as const }]) {
      db.plans.length = 0;
      await log.listDeliveries(accountId, filter, { after: null, limit: 50 });
      expect(db.plans).toContain('SEARCH deliveries USING INDEX deliveries_of_event (event_id=?)');
      expect(db.plans.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN d']);
    }
  });

  test('one delivery and its attempts are found by its ID', async () => {
    const own = await sample();
    db.plans.length = 0;
    expect(await log.findDelivery(accountId, own)).not.toBeNull();
    expectDirect(db.plans);
    expect(db.plans).toContainEqual(expect.stringContaining('SEARCH attempts USING PRIMARY KEY'));
  });

  test('a replay and a test event update one delivery and one queue', async () => {
    const own = await sample();
    const request = { accountId, ids: [own], idempotencyKey: null, context };
    await log.replayDeliveries(request, (found) => {
      expect(found).toHaveLength(1);
      return { deliveries: found.map((one) => replayDelivery(one, noon)), response };
    });
    expectDirect(db.plans);
  });

  test('webhooks are found, changed and deleted by their account and ID', async () => {
    await webhooks.findWebhook(accountId, id);
    await webhooks.changeWebhook({ accountId, id, idempotencyKey: null, context }, (found) => {
      if (found === null) throw new Error('it is there');
      return { webhook: { ...found, status: 'paused' }, response };
    });
    await webhooks.deleteWebhook(accountId, 'whk_none', noon);
    expectDirect(db.plans);
    expect(db.plans).toContain('SEARCH webhooks USING PRIMARY KEY (id=?)');
  });

  test('the statistics of webhooks are read from a range of the buckets of each', async () => {
    const query = { width: 60_000, since: noon, until: noon + 3_600_000, bucketMs: 900_000 };
    await webhooks.sumStats([id, 'whk_none'], query);
    expect(db.plans).toContain(
      'SEARCH webhook_stats USING PRIMARY KEY (webhook_id=? AND width=? AND start>? AND start<?)',
    );
    // Only the list of IDs is scanned.
    expect(db.plans.filter((step) => step.startsWith('SCAN'))).toEqual([
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
    ]);
  });

  test('the events of one order are found by its index, and sorted', async () => {
    await events.readEvents(accountId, 0, 51, 'ord_1');
    expect(db.plans).toEqual([
      'SEARCH events USING INDEX events_of_order (order_id=?)',
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      'SEARCH account_events USING INDEX account_events_of_event (event_id=?)',
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      'SEARCH account_events USING INDEX account_events_of_event (event_id=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
  });

  test('endpoints that keep failing are found by their index, and the order of a failure by one too', async () => {
    expect(await webhooks.listFailing({ now: noon, failingForMs: 1_000, limit: 10 })).toEqual([]);
    expect(db.plans).toEqual([
      'SEARCH queues USING INDEX queues_failing (failing_since>? AND failing_since<?)',
    ]);
    let seen: unknown;
    await webhooks.disableWebhook(id, context, (found) => {
      seen = found?.webhook.id;
      return null;
    });
    expect(seen).toBe(id);
    expectDirect(db.plans);
  });

  test('an entry of the log gets its sequence number from the last one', async () => {
    const seller = anAccount({ kind: 'seller' });
    await createSqliteAccountStore(db, new Announcements()).addAccount(
      seller,
      aKey({ accountId: seller.id }).record,
    );
    const listing = aListing({ sellerId: seller.id, agentId: null });
    await createSqliteListingStore(db).addListing(listing);
    db.plans.length = 0;
    const wish = { listingId: listing.id, quantity: 1 };
    await createSqliteOrderStore(db, new Announcements()).placeOrder(
      { ...wish, idempotencyKey: null, context },
      (found) => ({
        change: placeOrder(aCaller({ accountId }), wish, found, context),
        response,
      }),
    );
    const steps = db.plans.filter((step) => step.includes('account_events'));
    expect(steps).toEqual(['SEARCH account_events', 'SEARCH account_events']);
    expectDirect(steps);
    // The account of the webhook: its pending deliveries are counted by its queues.
    const counted = db.plans.filter((step) => /(accounts|webhooks|queues) /.test(step));
    expect(counted.some((step) => step.includes('webhooks_of_account'))).toBe(true);
    expectDirect(counted);
  });
});
