import type { LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { enqueueDelivery } from '../../helpers/enqueue';
import { aResult, leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

/** More than twice the rows that a search scans in one step. */
const many = 10_500;

let file: string;
let store: Store;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
});

const list = (filter: object, limit = 51): Promise<LoggedDelivery[]> =>
  store.deliveryLog.listDeliveries(trade.buyer.accountId, filter, { after: null, limit });

/** Creates two deliveries of one type, with many of another before, between and after them. */
async function queueFewAmongMany(): Promise<void> {
  const { accountId } = trade.buyer;
  const order = await trade.place();
  await enqueueDelivery(trade, { accountId, count: many, now: noon + 1 });
  await trade.move(order, 'confirmed', noon + 2);
  await enqueueDelivery(trade, { accountId, count: many, now: noon + 3 });
  await trade.move(order, 'fulfilling', noon + 4);
  await enqueueDelivery(trade, { accountId, count: 10, now: noon + 5 });
}

describe('a search for few deliveries among many', () => {
  test('finds all of them, newest first, a page of them, and none if there are none', async () => {
    await queueFewAmongMany();
    const filter = { eventType: 'order.status_changed' };
    const found = await list(filter);
    expect(found.map(({ createdAt }) => createdAt)).toEqual([noon + 4, noon + 2]);
    expect(await list(filter, 1)).toEqual(found.slice(0, 1));
    expect(await list({ ...filter, since: noon + 3 })).toEqual(found.slice(0, 1));
    expect(await list({ ...filter, state: 'failed' })).toEqual([]);
    expect(await list({ statusClass: '5xx' })).toEqual([]);
    const common = await list({ eventType: 'order.created' }, 12);
    expect(common.map(({ createdAt }) => createdAt - noon)).toEqual([...Array(10).fill(5), 3, 3]);
  }, 30_000);

  test.each([1, 10])(
    'yields to others after each step, with %i searches at once',
    async (searches) => {
      await queueFewAmongMany();
      let priority = 0;
      let searching = true;
      const others = (async () => {
        while (searching) {
          await new Promise((turn) => setImmediate(turn));
          priority += 1;
        }
      })();
      const search = () => list({ eventType: 'order.status_changed' });
      await Promise.all(Array.from({ length: searches }, search));
      searching = false;
      await others;
      expect(priority).toBeGreaterThanOrEqual(4 * searches);
    },
    30_000,
  );

  test('shows each once, although another process delivers them meanwhile', async () => {
    const { accountId } = trade.buyer;
    const order = await trade.place();
    await trade.move(order, 'confirmed', noon + 1);
    await enqueueDelivery(trade, { accountId, count: many, now: noon + 2 });
    const beside = openSqliteStore(file);
    onTestFinished(() => beside.close());
    const searching = list({ eventType: 'order.status_changed' });
    const leased = await leaseDue(beside, noon + 2, 4);
    await beside.deliveries.recordAttempts(
      leased.map((one) => aResult(one)),
      noon + 20,
    );
    expect(await searching).toMatchObject([{ eventType: 'order.status_changed' }]);
    expect(await list({ state: 'delivered' })).toHaveLength(leased.length);
  }, 30_000);
});
