import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { LoggedDelivery } from '../../../src/deliveries/logged-delivery';
import type { Store } from '../../../src/store';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { noon } from '../../builders';
import { tempFile } from '../../temp-folder';
import { claim, outcomeOf } from '../claiming';
import { queueUp } from '../queue-up';
import { Trade } from '../trade';

/** More than a search looks at before it pauses, twice over. */
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

/** Two deliveries of a kind with very many of another before, between and after them. */
async function queueFewAmongMany(): Promise<void> {
  const { accountId } = trade.buyer;
  const order = await trade.place();
  await queueUp(trade, { accountId, count: many, now: noon + 1 });
  await trade.move(order, 'confirmed', noon + 2);
  await queueUp(trade, { accountId, count: many, now: noon + 3 });
  await trade.move(order, 'fulfilling', noon + 4);
  await queueUp(trade, { accountId, count: 10, now: noon + 5 });
}

describe('a search for few deliveries among many', () => {
  test('finds them all, newest first, a page of them, and none that there is none of', async () => {
    await queueFewAmongMany();
    const filter = { kind: 'order.status_changed' };
    const found = await list(filter);
    expect(found.map(({ createdAt }) => createdAt)).toEqual([noon + 4, noon + 2]);
    expect(await list(filter, 1)).toEqual(found.slice(0, 1));
    expect(await list({ ...filter, since: noon + 3 })).toEqual(found.slice(0, 1));
    expect(await list({ ...filter, state: 'failed' })).toEqual([]);
    expect(await list({ http: '5xx' })).toEqual([]);
    const common = await list({ kind: 'order.created' }, 12);
    expect(common.map(({ createdAt }) => createdAt - noon)).toEqual([...Array(10).fill(5), 3, 3]);
  }, 30_000);

  test.each([1, 10])(
    'gives others their turn after each step, %i at once',
    async (searches) => {
      await queueFewAmongMany();
      let turns = 0;
      let searching = true;
      const others = (async () => {
        while (searching) {
          await new Promise((turn) => setImmediate(turn));
          turns += 1;
        }
      })();
      const search = () => list({ kind: 'order.status_changed' });
      await Promise.all(Array.from({ length: searches }, search));
      searching = false;
      await others;
      expect(turns).toBeGreaterThanOrEqual(4 * searches);
    },
    30_000,
  );

  test('shows each once, though another process delivers them meanwhile', async () => {
    const { accountId } = trade.buyer;
    const order = await trade.place();
    await trade.move(order, 'confirmed', noon + 1);
    await queueUp(trade, { accountId, count: many, now: noon + 2 });
    const beside = openSqliteStore(file);
    onTestFinished(() => beside.close());
    const searching = list({ kind: 'order.status_changed' });
    const claimed = await claim(beside, noon + 2, 4);
    await beside.deliveries.recordAttempts(
      claimed.map((one) => outcomeOf(one)),
      noon + 20,
    );
    expect(await searching).toMatchObject([{ kind: 'order.status_changed' }]);
    expect(await list({ state: 'delivered' })).toHaveLength(claimed.length);
  }, 30_000);
});
