import { get } from 'node:http';
import type { EventPage } from '@tradepost/contract';
import { settleUntil } from '@tradepost/domain/test/fake-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/a-key';
import { enqueueDelivery } from '../helpers/enqueue';
import { RecordingDatabase } from '../helpers/recording-database';
import { makeTempFolder } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { type Service, startService } from './service';

/** More events than one request reads. */
const many = 20_100;

const folder = makeTempFolder();
let service: Service;
let db: RecordingDatabase;
let trade: Trade;
let busy: { accountId: string; key: string };
let other: { accountId: string; key: string };

beforeAll(async () => {
  db = new RecordingDatabase(`${folder.path}/tradepost.db`, { synchronous: 'off' });
  const store = createStore(db);
  trade = await Trade.open(store);
  const add = async (accountId: string) => {
    const { record, apiKey } = aKey({ accountId });
    await store.accounts.addKey(record);
    await enqueueDelivery(trade, { accountId, count: many });
    return { accountId, key: apiKey };
  };
  busy = await add(trade.buyer.accountId);
  other = await add(trade.seller.accountId);
  service = await startService({ store });
}, 60_000);
beforeEach(() => {
  db.queries.length = 0;
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

const type = 'type=listing.availability_low';

async function read(query: string, { key }: { key: string }): Promise<EventPage> {
  const { status, text } = await service.request(`GET /v1/events?${query}`, { as: key });
  expect(status).toBe(200);
  return JSON.parse(text) as EventPage;
}

/** The account of each step of a search so far. */
const listSteps = () =>
  db.queries.filter(({ sql }) => sql.includes('max(seq) AS "end"')).map(({ values }) => values[0]);

describe('searches for events', () => {
  it.each(['', '&waitSeconds=30'])(
    'end after a part of the log with an empty page, and the next ones continue from there: %s',
    async (wait) => {
      const first = await read(`${type}${wait}`, busy);
      expect(first).toMatchObject({ data: [], hasMore: true });
      expect(await read(`${type}&after=${first.nextCursor}`, busy)).toMatchObject({
        data: [],
        hasMore: false,
      });
    },
  );

  it('take turns by account: another account waits for one step each, beside 40 searches', async () => {
    const options = { headers: { Authorization: `Bearer ${busy.key}` }, agent: false };
    const requests = Array.from({ length: 40 }, () =>
      get(`${service.url}/v1/events?${type}`, options).on('error', () => {}),
    );
    // The first step of each waits for no other search.
    await settleUntil(() => listSteps().length > 40);
    await read(type, other);
    const steps = listSteps();
    const own = steps.filter((accountId) => accountId === other.accountId).length;
    expect(own).toBe(11);
    const first = steps.indexOf(other.accountId);
    const between = steps.slice(first + 1, steps.lastIndexOf(other.accountId));
    expect(between.length).toBeLessThanOrEqual(2 * own);
    for (const request of requests) request.destroy();
  });
});
