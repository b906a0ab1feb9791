import { statusClasses } from '@tradepost/contract';
import { newDelivery } from '@tradepost/domain/deliveries/delivery';
import { type DeliveryFilter, replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
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
  await createSqliteAccountStore(db).addAccount(account, aKey({ accountId }).record);
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

const afters = [null, { createdAt: noon + 1, id: 'dlv_1' }];
const sinces = [undefined, noon];
const lists: DeliveryFilter[] = [{}, { webhookId: id }, { state: 'failed' }];
const searches: DeliveryFilter[] = [
  { eventType: 'order.created' },
  { eventType: 'order.created', state: 'pending' },
  ...statusClasses.map((statusClass) => ({ statusClass })),
];

const combinations = (filters: DeliveryFilter[]) =>
  filters.flatMap((filter) =>
    sinces.flatMap((since) =>
      afters.map((after) => ({ filter: { ...filter, ...(since && { since }) }, after })),
    ),
  );

/** The plan for one page of a webhook's deliveries in one state, with the bounds of a list. */
function describePage(
  filter: DeliveryFilter,
  hasUpper: boolean,
  hasLower = filter.since !== undefined,
) {
  const lower = hasLower ? ' AND (created_at,id)>(?,?)' : '';
  const upper = hasUpper ? ' AND (created_at,id)<(?,?)' : '';
  return `INDEX deliveries_of_webhook (webhook_id=? AND state=?${lower}${upper})`;
}

/** Counts each plan step that reads deliveries. */
const deliverySteps = () => [
  ...new Set(db.plans.filter((step) => /(SEARCH|SCAN) deliveries/.test(step))),
];

describe('by the query plans of the logs,', () => {
  test.each(combinations(lists))(
    'deliveries are listed by one range for each webhook and state: $filter after $after',
    async ({ filter, after }) => {
      await log.listDeliveries(accountId, filter, { after, limit: 51 });
      const perPage = [
        'CO-ROUTINE d',
        `SEARCH deliveries USING ${describePage(filter, after !== null)}`,
        'SCAN d',
        'SEARCH queues USING PRIMARY KEY (webhook_id=?)',
      ];
      const states = filter.state === undefined ? 3 : 1;
      expect(db.plans).toEqual([
        'SEARCH webhooks USING INDEX webhooks_of_account (account_id=?)',
        ...Array(states).fill(perPage).flat(),
      ]);
    },
  );

  test.each(combinations(searches))(
    'each step of a search scans one range: $filter after $after',
    async ({ filter, after }) => {
      await sample();
      db.plans.length = 0;
      await log.listDeliveries(accountId, filter, { after, limit: 51 });
      const range = describePage(filter, after !== null);
      expect(deliverySteps()).toEqual([
        `SEARCH deliveries USING COVERING ${range}`,
        `SEARCH deliveries USING ${range}`,
      ]);
    },
  );

  test.each(sinces)(
    'once a page is full, the rest is read down to its last one, since %s',
    async (since) => {
      await sample();
      db.plans.length = 0;
      const [after] = afters.slice(-1);
      const filter = since === undefined ? {} : { since };
      await log.listDeliveries(accountId, filter, { after: after ?? null, limit: 1 });
      expect(deliverySteps()).toEqual(
        [since !== undefined, true]
          .map((hasLower) => `SEARCH deliveries USING ${describePage(filter, true, hasLower)}`)
          .filter((step, index, all) => all.indexOf(step) === index),
      );
    },
  );

  test('one delivery and its attempts are found by its ID', async () => {
    const own = await sample();
    db.plans.length = 0;
    expect(await log.findDelivery(accountId, own)).not.toBeNull();
    expectDirect(db.plans);
    expect(db.plans).toContainEqual(expect.stringContaining('SEARCH attempts USING PRIMARY KEY'));
  });

  test('a replay and a test event update one delivery and one queue', async () => {
    const own = await sample();
    const request = { accountId, id: own, idempotencyKey: null, context };
    await log.replayDelivery(request, (found) => {
      if (found === null) throw new Error('it is there');
      return { delivery: replayDelivery(found, noon), response };
    });
    expectDirect(db.plans);
  });

  test.each(afters)('webhooks are listed by one range of one index: after %j', async (after) => {
    await webhooks.listWebhooks(accountId, { after, limit: 51 });
    const bound = after === null ? '' : ' AND (created_at,id)<(?,?)';
    expect(db.plans).toEqual([
      `SEARCH webhooks USING INDEX webhooks_of_account (account_id=?${bound})`,
      'SEARCH queues USING PRIMARY KEY (webhook_id=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      expect.stringMatching(
        /^SEARCH e USING (COVERING )?INDEX webhook_events_of_webhook \(webhook_id=\? AND account_id=\?\)$/,
      ),
    ]);
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

  test('the log of an account is read by one range of its index', async () => {
    await events.readEvents(accountId, 0, 51);
    expect(db.plans).toEqual([
      'SEARCH account_events USING INDEX account_events_of_account (account_id=? AND seq>?)',
      'SEARCH events USING PRIMARY KEY (id=?)',
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

  test('an entry of the log gets its sequence number from the last one', async () => {
    const seller = anAccount({ kind: 'seller' });
    await createSqliteAccountStore(db).addAccount(seller, aKey({ accountId: seller.id }).record);
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
  });
});
