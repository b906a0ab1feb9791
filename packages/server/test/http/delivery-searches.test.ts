import type { Delivery, Page } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/builders';
import { CapturedLog } from '../helpers/captured-log';
import { enqueueDelivery } from '../helpers/enqueue';
import { settle, settleUntil } from '../helpers/fake-clock';
import { RecordingDatabase } from '../helpers/recording-database';
import { tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { getProblem, type HttpResponse, type Service, startService } from './service';

/** Twice what one step of a search looks at, and a little. */
const many = 10_100;

/** An account with many deliveries, none of which a search finds. */
interface SearchAccount {
  key: string;
  webhookId: string;
}

let service: Service;
let db: RecordingDatabase;
let logs: CapturedLog;
let busy: SearchAccount;
let other: SearchAccount;
/** How many requests have come to the store. */
let arrived: number;

beforeEach(async () => {
  db = new RecordingDatabase(tempFile(), { synchronous: 'off' });
  const store = createStore(db);
  const trade = await Trade.open(store);
  const add = async (accountId: string): Promise<SearchAccount> => {
    const { record, apiKey } = aKey({ accountId });
    await store.accounts.addKey(record);
    const paused = { accountId, status: 'paused' } as const;
    const webhook = await trade.subscribe(trade.buyer, ['order.created'], paused);
    await enqueueDelivery(trade, { accountId, count: many });
    return { key: apiKey, webhookId: webhook.id };
  };
  busy = await add(trade.buyer.accountId);
  other = await add(trade.seller.accountId);
  arrived = 0;
  const { listDeliveries } = store.deliveryLog;
  store.deliveryLog.listDeliveries = (...args) => {
    arrived += 1;
    return listDeliveries(...args);
  };
  logs = new CapturedLog();
  service = await startService({ store, log: logs.log });
  db.queries.length = 0;
});
afterEach(() => service.close());

/** The account of each step that searches made so far: each step looks for where its stretch ends. */
const steps = (of?: SearchAccount) =>
  db.queries
    .filter(({ sql }) => sql.includes('OFFSET'))
    .map(({ values }) => values[0])
    .filter((webhookId) => of === undefined || webhookId === of.webhookId);

const path = '/v1/deliveries?event=task.completed';
const search = ({ key }: SearchAccount) => service.request(`GET ${path}`, { as: key });

/** Starts searches of which the clients can disconnect, and waits until all have arrived. */
async function startSearches(count: number, { key }: SearchAccount): Promise<() => Promise<void>> {
  const before = arrived;
  const controller = new AbortController();
  const init = { headers: { Authorization: `Bearer ${key}` }, signal: controller.signal };
  const requests = Promise.allSettled(
    Array.from({ length: count }, () => fetch(service.url + path, init)),
  );
  await settleUntil(() => arrived === before + count);
  return async () => {
    controller.abort();
    await requests;
    for (let closed = 0; closed < count; closed += 1) await logs.next('request');
  };
}

describe('searches for deliveries', () => {
  it('end when their clients disconnect: 100 of them leave no work behind', async () => {
    const disconnect = [await startSearches(50, busy), await startSearches(50, other)];
    for (const one of disconnect) await one();
    const made = steps().length;
    for (let priority = 0; priority < 20; priority += 1) await settle();
    // One was in progress at most.
    expect(steps().length).toBeLessThanOrEqual(made + 1);
    expect((await search(busy)).status).toBe(200);
    expect(logs.text.join()).not.toContain('request failed');
  }, 60_000);

  it.each([1, 40])(
    'take turns by account: another account waits for one step each, beside %i searches',
    async (count) => {
      const disconnect = await startSearches(count, busy);
      const before = steps().length;
      const found = JSON.parse((await search(other)).text) as Page<Delivery>;
      expect(found).toEqual({ data: [], nextCursor: null });
      const own = steps(other).length;
      expect(own).toBeGreaterThan(2);
      const order = steps().slice(before);
      const first = order.indexOf(other.webhookId);
      const between = order.slice(first, order.lastIndexOf(other.webhookId) + 1);
      expect(between.filter((webhookId) => webhookId === other.webhookId)).toHaveLength(own);
      expect(between.length).toBeLessThanOrEqual(2 * own);
      await disconnect();
    },
    60_000,
  );

  it('get 429 when 50 of the account wait already, but lists do not', async () => {
    const finished: HttpResponse[] = [];
    const searches = Array.from({ length: 200 }, async () => finished.push(await search(busy)));
    await settleUntil(() => arrived === searches.length);
    const list = await service.request('GET /v1/deliveries?state=pending', { as: busy.key });
    expect((JSON.parse(list.text) as Page<Delivery>).data).toHaveLength(50);
    // The list did not wait for the searches before it.
    expect(finished.length).toBeLessThan(searches.length);
    await Promise.all(searches);
    const rejected = finished.filter(({ status }) => status !== 200);
    expect(finished.length - rejected.length).toBeGreaterThanOrEqual(52);
    expect(rejected.length).toBeGreaterThan(0);
    for (const got of rejected) {
      expect(getProblem(got)).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(got.headers.get('retry-after')).toBe('1');
    }
    expect((await search(busy)).status).toBe(200);
  }, 60_000);
});
