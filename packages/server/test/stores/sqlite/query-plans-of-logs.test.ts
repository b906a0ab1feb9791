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

/** The plans without the walk over a page that was read by an index: `d` is no longer than the page. */
function apartFromPages(): string[] {
  return db.plans.filter((step) => step !== 'SCAN d' && step !== 'CO-ROUTINE d');
}

const afters = [null, { createdAt: noon, id: 'dlv_1' }];
const filters: DeliveryFilter[] = [
  {},
  { webhookId: id },
  { state: 'failed' },
  { since: noon },
  { kind: 'order.created' },
  { kind: 'order.created', since: noon, state: 'pending' },
  ...httpClasses.map((http) => ({ http })),
];

describe('query plans of the logs', () => {
  test.each(filters)('deliveries are listed along one index: %j', async (filter) => {
    await sample();
    for (const after of afters) {
      db.plans.length = 0;
      await log.listDeliveries(accountId, filter, { after, limit: 51 });
      expectDirect(apartFromPages());
      const ofDeliveries = db.plans.filter((step) => step.includes(' deliveries '));
      const walk =
        /^SEARCH deliveries USING (COVERING )?INDEX deliveries_of_webhook \(webhook_id=\? AND state=\?( AND|\))/;
      expect(ofDeliveries.length).toBeGreaterThan(0);
      for (const step of ofDeliveries) expect(step).toMatch(walk);
    }
  });

  test('a page that goes on starts where the one before it ended, and a stretch ends where it is cut', async () => {
    await sample();
    db.plans.length = 0;
    const page = { after: { createdAt: noon + 1, id: 'dlv_1' }, limit: 1 };
    await log.listDeliveries(accountId, { kind: 'order.created', since: noon }, page);
    const walks = db.plans.filter((step) => step.includes(' deliveries '));
    for (const step of walks)
      expect(step).toMatch(/created_at>\?.*created_at<\?|\(created_at,id\)/);
  });

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

  test('webhooks are listed, found, changed and removed by their account and id', async () => {
    await webhooks.listWebhooks(accountId, { after: null, limit: 51 });
    await webhooks.listWebhooks(accountId, { after: { createdAt: noon, id }, limit: 51 });
    await webhooks.findWebhook(accountId, id);
    await webhooks.changeWebhook({ accountId, id, claim: null, moment }, (found) => {
      if (found === null) throw new Error('it is there');
      return { webhook: { ...found, status: 'paused' }, answer };
    });
    await webhooks.removeWebhook(accountId, 'whk_none', noon);
    expectDirect(db.plans);
    expect(db.plans).toContainEqual(expect.stringContaining('INDEX webhooks_of_account'));
  });

  test.each([undefined, noon])(
    'the log of an account is read along its index, since %s',
    async (since) => {
      await events.readEvents(accountId, 0, 51, since);
      expectDirect(db.plans);
      expect(db.plans[0]).toMatch(
        /^SEARCH account_events USING (COVERING )?INDEX account_events_of_account \(account_id=\? AND seq>\?\)/,
      );
    },
  );

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
