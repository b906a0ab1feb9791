import { copyFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Delivery, Page } from '@tradepost/contract';
import { settle, settleUntil } from '@tradepost/domain/test/fake-clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStore, openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/a-key';
import { CapturedLog } from '../helpers/captured-log';
import { enqueueDelivery } from '../helpers/enqueue';
import { RecordingDatabase } from '../helpers/recording-database';
import { makeTempFolder, tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { getProblem, type HttpResponse, type Service, startService } from './service';

/** Slightly more than the rows that a search scans in two steps. */
const many = 10_100;

/** An account with many deliveries, none of which a search finds. */
interface SearchAccount {
  key: string;
  webhookId: string;
}

const folder = makeTempFolder();
/** A database with the deliveries. Each test uses a copy. */
const seeded = join(folder.path, 'seeded.db');
let service: Service;
let db: RecordingDatabase;
let logs: CapturedLog;
let busy: SearchAccount;
let other: SearchAccount;
/** The number of requests that have reached the store. */
let arrived: number;

beforeAll(async () => {
  const store = openSqliteStore(seeded, { synchronous: 'off' });
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
  await store.close();
});
afterAll(folder.remove);

beforeEach(async () => {
  const file = tempFile();
  copyFileSync(seeded, file);
  db = new RecordingDatabase(file, { synchronous: 'off' });
  const store = createStore(db);
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

/** The webhook of each search step so far. A step queries with an offset where its range ends. */
const steps = (of?: SearchAccount) =>
  db.queries
    .filter(({ sql }) => sql.includes('OFFSET'))
    .map(({ values }) => values[0])
    .filter((webhookId) => of === undefined || webhookId === of.webhookId);

const path = '/v1/deliveries?event=task.completed';
const search = ({ key }: SearchAccount) => service.request(`GET ${path}`, { as: key });

/** Starts searches, and waits until all have arrived. Returns a function that disconnects their clients. */
async function startSearches(count: number, { key }: SearchAccount): Promise<() => Promise<void>> {
  const before = arrived;
  // Without fetch, which connects again after an abort: the idle connection would delay the close of the server.
  const options = { headers: { Authorization: `Bearer ${key}` }, agent: false };
  const requests = Array.from({ length: count }, () =>
    get(service.url + path, options).on('error', () => {}),
  );
  await settleUntil(() => arrived === before + count);
  return async () => {
    for (const request of requests) request.destroy();
    for (let closed = 0; closed < count; closed += 1) await logs.next('request');
  };
}

describe('searches for deliveries', () => {
  it('end when their clients disconnect: 100 of them leave no work behind', async () => {
    const disconnect = [await startSearches(50, busy), await startSearches(50, other)];
    for (const one of disconnect) await one();
    const made = steps().length;
    for (let count = 0; count < 20; count += 1) await settle();
    // At most one step was in progress.
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
