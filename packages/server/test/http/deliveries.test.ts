import type { CreatedWebhook, Delivery, EventKind, Page } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { noon } from '../builders';
import { answer, inTurn, type Respond } from '../receiver';
import { DeliveringService } from './delivering-service';
import { problemIn } from './service';

let rig: DeliveringService;

beforeEach(async () => {
  rig = await DeliveringService.start();
});
afterEach(() => rig.close());

const iso = (time: number) => new Date(time).toISOString();
const idsOf = (deliveries: { id: string }[]) => deliveries.map(({ id }) => id);

async function page(query: string): Promise<Page<Delivery>> {
  const got = await rig.service.ask(`GET /v1/deliveries${query}`, { as: rig.buyer });
  return JSON.parse(got.text) as Page<Delivery>;
}

const reset: Respond = (_response, request) => request.socket.resetAndDestroy();

/** A webhook for each class of answers, each with one delivery of one order: by class, oldest class first. */
async function oneOfEach(): Promise<Map<string, CreatedWebhook>> {
  const webhooks = new Map<string, CreatedWebhook>();
  const responds: [string, Respond][] = [
    ['2xx', answer(204)],
    ['3xx', answer(307, { Location: 'https://elsewhere.example/' })],
    ['4xx', answer(410)],
    ['5xx', answer(599)],
    ['none', reset],
  ];
  for (const [name, respond] of responds) {
    webhooks.set(name, (await rig.hook(respond)).webhook);
  }
  await rig.placeAndRecord(5);
  return webhooks;
}

describe('GET /v1/deliveries', () => {
  it("lists the deliveries to the account's webhooks, newest first, as they stand", async () => {
    const { webhook } = await rig.hook(inTurn(answer(200), answer(503)));
    await rig.hook(answer(200), { as: rig.seller });
    await rig.placeAndRecord(2);
    await rig.clock.advance(10);
    await rig.placeAndRecord(2);
    const [newer, older, ...more] = await rig.deliveries();
    expect(more).toEqual([]);
    const shared = {
      id: expect.stringMatching(/^dlv_/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      event: 'order.created',
      test: false,
      attempts: 1,
      lastError: null,
    };
    expect(newer).toEqual({
      ...shared,
      state: 'pending',
      lastStatus: 503,
      createdAt: iso(noon + 10),
      deadlineAt: iso(noon + 10 + retryWindow),
      nextAttemptAt: expect.any(String),
      finishedAt: null,
    });
    expect(older).toEqual({
      ...shared,
      state: 'delivered',
      lastStatus: 200,
      createdAt: iso(noon),
      deadlineAt: iso(noon + retryWindow),
      nextAttemptAt: null,
      finishedAt: iso(noon),
    });
  });

  it.each(['2xx', '3xx', '4xx', '5xx', 'none'])('filters by answers of %s', async (http) => {
    const webhooks = await oneOfEach();
    const found = await rig.deliveries(`?http=${http}`);
    expect(found.map(({ webhookId }) => webhookId)).toEqual([webhooks.get(http)?.id]);
  });

  it('finds what was not tried yet under no class', async () => {
    const { webhook } = await rig.hook(answer(200));
    const body = { status: 'paused' };
    await rig.service.ask(`PATCH /v1/webhooks/${webhook.id}`, { as: rig.buyer, body });
    await rig.place();
    for (const http of ['2xx', '3xx', '4xx', '5xx', 'none']) {
      expect(await rig.deliveries(`?http=${http}`)).toEqual([]);
    }
    expect(await rig.deliveries()).toMatchObject([{ lastStatus: null, lastError: null }]);
  });

  it('filters by webhook, event, state and moment, each alone and together', async () => {
    const events: EventKind[] = ['order.created', 'task.approval_requested'];
    const taken = await rig.hook(answer(200), { events });
    const refused = await rig.hook(answer(500), { events });
    await rig.placeAndRecord(4);
    await rig.clock.advance(1_000);
    await rig.placeAndRecord(4);
    const all = await rig.deliveries();
    expect(all).toHaveLength(8);

    const filters: [string, (one: Delivery) => boolean][] = [
      [`webhookId=${taken.webhook.id}`, ({ webhookId }) => webhookId === taken.webhook.id],
      ['event=order.created', ({ event }) => event === 'order.created'],
      ['state=pending', ({ state }) => state === 'pending'],
      [`since=${iso(noon + 1_000)}`, ({ createdAt }) => createdAt >= iso(noon + 1_000)],
      ['http=5xx', ({ lastStatus }) => lastStatus === 500],
    ];
    for (let choice = 1; choice < 2 ** filters.length; choice += 1) {
      const chosen = filters.filter((_filter, index) => (choice & (2 ** index)) !== 0);
      const query = chosen.map(([text]) => text).join('&');
      const expected = all.filter((one) => chosen.every(([, lets]) => lets(one)));
      expect(await rig.deliveries(`?${query}`), query).toEqual(expected);
    }
    const ofRefused = await rig.deliveries(`?webhookId=${refused.webhook.id}&state=pending`);
    expect(ofRefused).toHaveLength(4);
  });

  it('takes the moment of since itself for included, in any zone', async () => {
    await rig.hook(answer(200));
    await rig.placeAndRecord();
    expect(await rig.deliveries(`?since=${iso(noon)}`)).toHaveLength(1);
    expect(await rig.deliveries('?since=2026-11-21T13:00:00%2B01:00')).toHaveLength(1);
    expect(await rig.deliveries(`?since=${iso(noon + 1)}`)).toEqual([]);
  });

  it.each(['', '&event=order.created'])(
    'hands out every delivery once, page by page, while new ones arrive%s',
    async (filter) => {
      await rig.hook(answer(200));
      await rig.hook(answer(500));
      for (let count = 0; count < 4; count += 1) await rig.placeAndRecord(2);
      const all = idsOf(await rig.deliveries());
      const seen: string[][] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { data, nextCursor }: Page<Delivery> = await page(`?limit=3${filter}${query}`);
        seen.push(idsOf(data));
        cursor = nextCursor;
        await rig.placeAndRecord(2);
      } while (cursor !== null);
      expect(seen).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
    },
  );

  it('has nothing of the deliveries of others', async () => {
    const { webhook } = await rig.hook(answer(200), { as: rig.seller });
    await rig.placeAndRecord();
    expect(await page('')).toEqual({ data: [], nextCursor: null });
    expect(await page(`?webhookId=${webhook.id}`)).toEqual({ data: [], nextCursor: null });
  });

  it('has nothing of a webhook that was removed', async () => {
    const { webhook } = await rig.hook(answer(200));
    const kept = await rig.hook(answer(200));
    await rig.placeAndRecord(2);
    const [one] = await rig.deliveries(`?webhookId=${webhook.id}`);
    await rig.service.ask(`DELETE /v1/webhooks/${webhook.id}`, { as: rig.buyer });
    expect(await rig.deliveries(`?webhookId=${webhook.id}`)).toEqual([]);
    expect(await rig.deliveries()).toMatchObject([{ webhookId: kept.webhook.id }]);
    for (const what of [`GET /v1/deliveries/${one?.id}`, `POST /v1/deliveries/${one?.id}/replay`]) {
      const problem = problemIn(await rig.service.ask(what, { as: rig.buyer }));
      expect(problem).toMatchObject({ status: 404, code: 'delivery_not_found' });
    }
  });

  it.each([
    ['webhookId=ord_1', 'webhookId'],
    ['event=order.shipped', 'event'],
    ['state=lost', 'state'],
    ['since=yesterday', 'since'],
    ['since=2026-11-21T09:30:00', 'since'],
    ['http=1xx', 'http'],
    ['http=500', 'http'],
    ['limit=0', 'limit'],
    ['state=failed&state=pending', 'state'],
    ['status=failed', 'status'],
  ])('refuses the query %s and names %s', async (query, path) => {
    const got = await rig.service.ask(`GET /v1/deliveries?${query}`, { as: rig.buyer });
    const problem = problemIn(got);
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map((issue) => issue.path)).toEqual([path]);
  });

  it('refuses the cursor of another list', async () => {
    await rig.hook(answer(200));
    await rig.hook(answer(200));
    const hooks = await rig.service.ask('GET /v1/webhooks?limit=1', { as: rig.buyer });
    const { nextCursor } = JSON.parse(hooks.text) as Page<unknown>;
    const got = await rig.service.ask(`GET /v1/deliveries?cursor=${nextCursor}`, { as: rig.buyer });
    expect(problemIn(got)).toMatchObject({ status: 400, code: 'bad_cursor' });
  });
});
