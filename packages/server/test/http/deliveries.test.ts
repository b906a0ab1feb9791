import type { Delivery, EventType, Page } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const iso = (time: number) => new Date(time).toISOString();
const getIds = (deliveries: { id: string }[]) => deliveries.map(({ id }) => id);

async function page(query: string): Promise<Page<Delivery>> {
  const got = await harness.service.request(`GET /v1/deliveries${query}`, { as: harness.buyer });
  return JSON.parse(got.text) as Page<Delivery>;
}

describe('GET /v1/deliveries', () => {
  it("lists the deliveries to the account's webhooks, newest first, in their current state", async () => {
    const { webhook } = await harness.hook(inTurn(respond(200), respond(503)));
    await harness.hook(respond(200), { as: harness.seller });
    await harness.placeAndRecord(2);
    await harness.clock.advance(10);
    await harness.placeAndRecord(2);
    const [newer, older, ...more] = await harness.deliveries();
    expect(more).toEqual([]);
    const shared = {
      id: expect.stringMatching(/^dlv_/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      event: 'order.created',
      orderId: expect.stringMatching(/^ord_/),
      test: false,
      attemptCount: 1,
      lastError: null,
    };
    expect(newer).toEqual({
      ...shared,
      state: 'pending',
      lastStatus: 503,
      createdAt: iso(noon + 10),
      deadlineAt: iso(noon + 10 + retryWindowMs),
      nextAttemptAt: expect.any(String),
      finishedAt: null,
    });
    expect(older).toEqual({
      ...shared,
      state: 'delivered',
      lastStatus: 200,
      createdAt: iso(noon),
      deadlineAt: iso(noon + retryWindowMs),
      nextAttemptAt: null,
      finishedAt: iso(noon),
    });
  });

  it('filters by webhook, event, state and time, each alone and together', async () => {
    const events: EventType[] = ['order.created', 'task.approval_requested'];
    const taken = await harness.hook(respond(200), { events });
    const rejecting = await harness.hook(respond(500), { events });
    await harness.placeAndRecord(4);
    await harness.clock.advance(1_000);
    await harness.placeAndRecord(4);
    const all = await harness.deliveries();
    expect(all).toHaveLength(8);

    const filters: [string, (one: Delivery) => boolean][] = [
      [`webhookId=${taken.webhook.id}`, ({ webhookId }) => webhookId === taken.webhook.id],
      ['event=order.created', ({ event }) => event === 'order.created'],
      ['state=pending', ({ state }) => state === 'pending'],
      [`since=${iso(noon + 1_000)}`, ({ createdAt }) => createdAt >= iso(noon + 1_000)],
      [`until=${iso(noon + 1_001)}`, ({ createdAt }) => createdAt < iso(noon + 1_001)],
      ['statusClass=5xx', ({ lastStatus }) => lastStatus === 500],
    ];
    for (let choice = 1; choice < 2 ** filters.length; choice += 1) {
      const chosen = filters.filter((_filter, index) => (choice & (2 ** index)) !== 0);
      const query = chosen.map(([text]) => text).join('&');
      const expected = all.filter((one) => chosen.every(([, lets]) => lets(one)));
      expect(await harness.deliveries(`?${query}`), query).toEqual(expected);
    }
    const rejectingDeliveries = await harness.deliveries(
      `?webhookId=${rejecting.webhook.id}&state=pending`,
    );
    expect(rejectingDeliveries).toHaveLength(4);
  });

  it('finds those of one order and of one event, also in pages', async () => {
    const events: EventType[] = ['order.created', 'task.approval_requested'];
    await harness.hook(respond(200), { events });
    await harness.hook(respond(500), { events });
    const { id } = await harness.placeAndRecord(4);
    await harness.placeAndRecord(4);
    const all = await harness.deliveries();
    const own = all.filter(({ orderId }) => orderId === id);
    expect(own).toHaveLength(4);
    expect(await harness.deliveries(`?orderId=${id}`)).toEqual(own);
    const first = await page(`?orderId=${id}&limit=3`);
    expect(first.data).toEqual(own.slice(0, 3));
    const rest = await page(`?orderId=${id}&limit=3&cursor=${first.nextCursor}`);
    expect(rest).toEqual({ data: own.slice(3), nextCursor: null });
    const eventId = own[0]?.eventId;
    expect(await harness.deliveries(`?eventId=${eventId}`)).toEqual(
      own.filter((one) => one.eventId === eventId),
    );
    expect(await harness.deliveries('?orderId=ord_none')).toEqual([]);
  });

  it('includes the time of since itself and excludes that of until, in any time zone', async () => {
    await harness.hook(respond(200));
    await harness.placeAndRecord();
    expect(await harness.deliveries(`?since=${iso(noon)}`)).toHaveLength(1);
    expect(await harness.deliveries('?since=2026-11-21T13:00:00%2B01:00')).toHaveLength(1);
    expect(await harness.deliveries(`?since=${iso(noon + 1)}`)).toEqual([]);
    expect(await harness.deliveries(`?until=${iso(noon)}`)).toEqual([]);
    expect(await harness.deliveries('?until=2026-11-21T13:00:01%2B01:00')).toHaveLength(1);
  });

  it.each(['', '&event=order.created'])(
    'returns every delivery once, page by page, while new ones arrive%s',
    async (filter) => {
      await harness.hook(respond(200));
      await harness.hook(respond(500));
      for (let count = 0; count < 4; count += 1) await harness.placeAndRecord(2);
      const all = getIds(await harness.deliveries());
      const seen: string[][] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { data, nextCursor }: Page<Delivery> = await page(`?limit=3${filter}${query}`);
        seen.push(getIds(data));
        cursor = nextCursor;
        await harness.placeAndRecord(2);
      } while (cursor !== null);
      expect(seen).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
    },
  );

  it('excludes the deliveries of others', async () => {
    const { webhook } = await harness.hook(respond(200), { as: harness.seller });
    await harness.placeAndRecord();
    expect(await page('')).toEqual({ data: [], nextCursor: null });
    expect(await page(`?webhookId=${webhook.id}`)).toEqual({ data: [], nextCursor: null });
  });

  it.each([
    ['webhookId=ord_1', 'webhookId'],
    ['event=order.shipped', 'event'],
    ['state=lost', 'state'],
    ['orderId=dlv_1', 'orderId'],
    ['eventId=ord_1', 'eventId'],
    ['until=tomorrow', 'until'],
    ['since=yesterday', 'since'],
    ['since=2026-11-21T09:30:00', 'since'],
    ['statusClass=1xx', 'statusClass'],
    ['statusClass=500', 'statusClass'],
    ['limit=0', 'limit'],
    ['state=failed&state=pending', 'state'],
    ['status=failed', 'status'],
  ])('rejects the query %s and names %s', async (query, path) => {
    const got = await harness.service.request(`GET /v1/deliveries?${query}`, { as: harness.buyer });
    const problem = getProblem(got);
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map((issue) => issue.path)).toEqual([path]);
  });

  it('rejects the cursor of another list', async () => {
    await harness.hook(respond(200));
    await harness.hook(respond(200));
    const hooks = await harness.service.request('GET /v1/webhooks?limit=1', { as: harness.buyer });
    const { nextCursor } = JSON.parse(hooks.text) as Page<unknown>;
    const got = await harness.service.request(`GET /v1/deliveries?cursor=${nextCursor}`, {
      as: harness.buyer,
    });
    expect(getProblem(got)).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });
});
