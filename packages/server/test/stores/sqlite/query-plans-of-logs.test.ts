import { httpClasses } from '@tradepost/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDelivery } from '../../../src/deliveries/delivery';
import { type DeliveryFilter, replay } from '../../../src/deliveries/logged-delivery';
import { sampleEvent } from '../../../src/events/sample-event';
import { placeOrder } from '../../../src/orders/place-order';
import { sqliteAccounts } from '../../../src/stores/sqlite/accounts';
import { sqliteDeliveryLog } from '../../../src/stores/sqlite/delivery-log';
import { sqliteEvents } from '../../../src/stores/sqlite/events';
import { sqliteListings } from '../../../src/stores/sqlite/listings';
import { sqliteOrders } from '../../../src/stores/sqlite/orders';
import { sqliteWebhooks } from '../../../src/stores/sqlite/webhooks';
import { aCaller, aKey, aListing, aMoment, anAccount, aWebhook, noon } from '../../builders';
import { expectDirect, PlannedDatabase } from './planned-database';

const db = new PlannedDatabase(':memory:');
const webhooks = sqliteWebhooks(db, () => {});
const log = sqliteDeliveryLog(db, () => {});
const events = sqliteEvents(db);
const webhook = aWebhook();
const { accountId, id } = webhook;
const moment = aMoment();
const answer = { status: 200, headers: {}, body: null };

beforeAll(async () => {
  const account = anAccount({ id: accountId });
  await sqliteAccounts(db).addAccount(account, aKey({ accountId }).record);
  await webhooks.addWebhook({ accountId, claim: null, moment }, () => ({ webhook, answer }));
});
beforeEach(() => {
  db.plans.length = 0;
});
afterAll(() => db.close());

/** Queues a sample, whose delivery is then in the log. */
async function sample(): Promise<string> {
  const event = sampleEvent('order.created', moment);
  const delivery = newDelivery(event, id, moment);
  await log.addSample({ accountId, webhookId: id, claim: null, moment }, () => ({
    event,
    delivery,
    answer,
  }));
  return delivery.id;
}

const afters = [null, { createdAt: noon + 1, id: 'dlv_1' }];
const sinces = [undefined, noon];
const lists: DeliveryFilter[] = [{}, { webhookId: id }, { state: 'failed' }];
const searches: DeliveryFilter[] = [
  { kind: 'order.created' },
  { kind: 'order.created', state: 'pending' },
  ...httpClasses.map((http) => ({ http })),
];

const combinations = (filters: DeliveryFilter[]) =>
  filters.flatMap((filter) =>
    sinces.flatMap((since) =>
      afters.map((after) => ({ filter: { ...filter, ...(since && { since }) }, after })),
    ),
  );

/** What one page of a webhook's deliveries in one state is read by, with the bounds of a list. */
function describePage(
  filter: DeliveryFilter,
  hasUpper: boolean,
  hasLower = filter.since !== undefined,
) {
  const lower = hasLower ? ' AND (created_at,id)>(?,?)' : '';
  const upper = hasUpper ? ' AND (created_at,id)<(?,?)' : '';
  return `INDEX deliveries_of_webhook (webhook_id=? AND state=?${lower}${upper})`;
}

/** How often each step was planned that reaches for deliveries. */
const deliverySteps = () => [
  ...new Set(db.plans.filter((step) => /(SEARCH|SCAN) deliveries/.test(step))),
];

describe('query plans of the logs', () => {
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
    'each step of a search looks through one range: $filter after $after',
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
    'once a page is full, what is left is read down to its last one, since %s',
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

  test('one delivery is found by its id, and its attempts by it', async () => {
    const own = await sample();
    db.plans.length = 0;
    expect(await log.findDelivery(accountId, own)).not.toBeNull();
    expectDirect(db.plans);
    expect(db.plans).toContainEqual(expect.stringContaining('SEARCH attempts USING PRIMARY KEY'));
  });

  test('a replay and a sample touch one delivery and one queue', async () => {
    const own = await sample();
    const request = { accountId, id: own, claim: null, moment };
    await log.replayDelivery(request, (found) => {
      if (found === null) throw new Error('it is there');
      return { delivery: replay(found, noon), answer };
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

  test('webhooks are found, changed and removed by their account and id', async () => {
    await webhooks.findWebhook(accountId, id);
    await webhooks.changeWebhook({ accountId, id, claim: null, moment }, (found) => {
      if (found === null) throw new Error('it is there');
      return { webhook: { ...found, status: 'paused' }, answer };
    });
    await webhooks.removeWebhook(accountId, 'whk_none', noon);
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

  test('a line of the log gets its place by a look at the last one', async () => {
    const seller = anAccount({ kind: 'seller' });
    await sqliteAccounts(db).addAccount(seller, aKey({ accountId: seller.id }).record);
    const listing = aListing({ sellerId: seller.id, agentId: null });
    await sqliteListings(db).addListing(listing);
    db.plans.length = 0;
    const wish = { listingId: listing.id, quantity: 1 };
    await sqliteOrders(db, () => {}).placeOrder({ ...wish, claim: null, moment }, (found) => ({
      change: placeOrder(aCaller({ accountId }), wish, found, moment),
      answer,
    }));
    const looks = db.plans.filter((step) => step.includes('account_events'));
    expect(looks).toEqual(['SEARCH account_events', 'SEARCH account_events']);
    expectDirect(looks);
  });
});
