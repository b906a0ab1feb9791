import {
  type AccountEvent,
  type EventPage,
  type Notification,
  type Order,
  webhookEventSchema,
} from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { type Actor, getData, getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const iso = (time: number) => new Date(time).toISOString();
const getTypes = ({ data }: EventPage) => data.map(({ event }) => event);
const getIds = (events: AccountEvent[]) => events.map(({ id }) => id);
const requestEvents = (query: string, as: Actor = harness.buyer) =>
  harness.service.request(`GET /v1/events${query}`, { as });

async function read(query = '', as: Actor = harness.buyer): Promise<EventPage> {
  return JSON.parse((await requestEvents(query, as)).text) as EventPage;
}

async function move({ id }: Order, status: string): Promise<void> {
  await harness.service.request(`PATCH /v1/orders/${id}`, { as: harness.seller, body: { status } });
}

describe('GET /v1/events', () => {
  it("returns the account's events, oldest first: each with its ID and the body of its deliveries", async () => {
    const order = await harness.place();
    await harness.clock.advance(1_000);
    await move(order, 'fulfilling');
    const page = await read();
    expect(getTypes(page)).toEqual([
      'order.created',
      'task.approval_requested',
      'order.status_changed',
      'task.completed',
    ]);
    for (const { id, actor, ...envelope } of page.data) {
      expect(actor).toEqual({
        accountId: expect.stringMatching(/^usr_/),
        kind: expect.any(String),
      });
      expect(id).toMatch(/^evt_/);
      expect(webhookEventSchema.parse(envelope)).toEqual(envelope);
    }
    expect(page.data[2]).toMatchObject({
      event: 'order.status_changed',
      createdAt: iso(noon + 1_000),
      data: { orderId: order.id, previousStatus: 'pending', status: 'fulfilling' },
    });
    const notifications = getData<Notification[]>(
      await harness.service.request('GET /v1/notifications', { as: harness.buyer }),
    );
    expect(notifications).toHaveLength(page.data.length);
  });

  it('has the reason of a change in its event and in its deliveries, and only if one was given', async () => {
    const { service, buyer, seller } = harness;
    const { receiver } = await harness.hook(respond(204), {
      events: ['order.status_changed'],
    });
    const order = await harness.place();
    const change = (body: object) =>
      service.request(`PATCH /v1/orders/${order.id}`, { as: seller, body });
    const reason = 'Paid in cash: 30 €, "all of it" 🍵';
    const first = await change({ status: 'confirmed', reason });
    expect(first.text).not.toContain('Paid');
    await harness.recorded();
    expect((await change({ status: 'confirmed', reason: 'Again.' })).status).toBe(200);
    await change({ status: 'fulfilling' });
    await harness.recorded();
    const expected = [
      { orderId: order.id, previousStatus: 'pending', status: 'confirmed', reason },
      { orderId: order.id, previousStatus: 'confirmed', status: 'fulfilling' },
    ];
    for (const as of [buyer, seller, harness.agent]) {
      const { data } = await read('', as);
      const changes = data.filter(({ event }) => event === 'order.status_changed');
      expect(changes.map((event) => event.data)).toEqual(expected);
    }
    const received = [await receiver.next(), await receiver.next()];
    expect(received.map(({ body }) => JSON.parse(body.toString('utf8')).data)).toEqual(expected);
    const notifications = await service.request('GET /v1/notifications', { as: buyer });
    expect(notifications.text).not.toContain('Paid');
  });

  it.each(['', ' ', 'two\nlines', 'hidden \u{e0041}\u200b', 'x'.repeat(501), null, 7])(
    'rejects the reason %j and changes nothing',
    async (reason) => {
      const { id } = await harness.place();
      const got = await harness.service.request(`PATCH /v1/orders/${id}`, {
        as: harness.seller,
        body: { status: 'confirmed', reason },
      });
      const problem = getProblem(got);
      expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
      expect(problem.errors).toEqual([
        { path: 'reason', message: expect.stringContaining('1 to 500 characters on one line') },
      ]);
      const order = await harness.service.request(`GET /v1/orders/${id}`, { as: harness.buyer });
      expect(getData<Order>(order).status).toBe('pending');
    },
  );

  it('returns a low listing to its seller and agent, and not to the buyer', async () => {
    const { service, seller, agent, buyer } = harness;
    const listing = await service.listing(seller, agent, 10, 8);
    const body = { listingId: listing.id, quantity: 3 };
    await service.request('POST /v1/orders', { as: buyer, body });
    for (const as of [seller, agent]) {
      expect(getTypes(await read('', as))).toContain('listing.availability_low');
    }
    expect(getTypes(await read())).not.toContain('listing.availability_low');
  });

  it('returns every event once, page by page, and always a cursor to continue from', async () => {
    for (let count = 0; count < 4; count += 1) await harness.place();
    const all = getIds((await read()).data);
    const seen: string[][] = [];
    let query = '?limit=3';
    for (let count = 0; count < 4; count += 1) {
      const { data, nextCursor } = await read(query);
      seen.push(getIds(data));
      query = `?limit=3&after=${nextCursor}`;
    }
    expect(seen).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6), []]);
    const late = await harness.place();
    const { data } = await read(query);
    expect(data).toMatchObject([{ data: { orderId: late.id } }, { data: { orderId: late.id } }]);
  });

  it('returns a cursor for an empty log that precedes all events', async () => {
    const { data, nextCursor } = await read();
    expect(data).toEqual([]);
    await harness.place();
    expect(getTypes(await read(`?after=${nextCursor}`))).toHaveLength(2);
  });

  it('starts at a given time, inclusive, in any time zone', async () => {
    await harness.place();
    await harness.clock.advance(1_000);
    const late = await harness.place();
    for (const since of [iso(noon + 1_000), '2026-11-21T14:00:01%2B02:00']) {
      const { data, nextCursor } = await read(`?since=${since}`);
      expect(data.map((event) => event.data)).toMatchObject([
        { orderId: late.id },
        { orderId: late.id },
      ]);
      expect((await read(`?after=${nextCursor}`)).data).toEqual([]);
    }
    expect((await read(`?since=${iso(noon)}`)).data).toHaveLength(4);
    expect((await read('?since=0001-01-01T00:00:00Z')).data).toHaveLength(4);
    expect((await read(`?since=${iso(noon + 1_001)}`)).data).toEqual([]);
  });

  it('continues with new events from a time without later events', async () => {
    await harness.place();
    const { nextCursor } = await read(`?since=${iso(noon + 1)}`);
    await harness.clock.advance(1);
    await harness.place();
    expect((await read(`?after=${nextCursor}`)).data).toHaveLength(2);
  });

  it('accepts the latest possible time, after which there is nothing', async () => {
    await harness.place();
    const { data, nextCursor } = await read('?since=9999-12-31T23:59:59Z');
    expect(data).toEqual([]);
    expect((await read(`?after=${nextCursor}`)).data).toEqual([]);
  });

  it('lists the history of one order, for those who may see it', async () => {
    const order = await harness.place();
    const other = await harness.place();
    await harness.clock.advance(1_000);
    await move(order, 'confirmed');
    await move(other, 'cancelled');
    await move(order, 'fulfilling');
    const history = await read(`?orderId=${order.id}`);
    expect(getTypes(history)).toEqual([
      'order.created',
      'task.approval_requested',
      'order.status_changed',
      'task.completed',
      'order.status_changed',
    ]);
    const ids = getIds(history.data);
    for (const as of [harness.seller, harness.agent]) {
      expect(getIds((await read(`?orderId=${order.id}`, as)).data)).toEqual(ids);
    }
    const stranger = await harness.service.account('seller');
    expect((await read(`?orderId=${order.id}`, stranger)).data).toEqual([]);
    expect((await read('?orderId=ord_none')).data).toEqual([]);
    const since = await read(`?orderId=${order.id}&since=${iso(noon + 1_000)}`);
    expect(getIds(since.data)).toEqual(ids.slice(2));

    const seen: string[] = [];
    for (let query = `?orderId=${order.id}&limit=2`, more = true; more; ) {
      const { data, nextCursor } = await read(query);
      seen.push(...getIds(data));
      query = `?orderId=${order.id}&limit=2&after=${nextCursor}`;
      more = data.length > 0;
    }
    expect(seen).toEqual(ids);
    await move(other, 'cancelled');
    await move(order, 'completed');
    const { data } = await read(`?orderId=${order.id}&after=${history.nextCursor}`);
    expect(data.map((event) => event.data)).toMatchObject([{ status: 'completed' }]);
  });

  it('waits for an event of the order, and not for those of others', async () => {
    const [order, other] = [await harness.place(), await harness.place()];
    const { nextCursor } = await read(`?orderId=${order.id}`);
    const waiting = read(`?orderId=${order.id}&after=${nextCursor}&waitSeconds=30`);
    await move(other, 'confirmed');
    await move(order, 'cancelled');
    expect((await waiting).data).toMatchObject([
      { event: 'order.status_changed', data: { orderId: order.id } },
      { event: 'task.completed', data: { orderId: order.id } },
    ]);
  });

  it('lists the last events, oldest first, and the pages before them', async () => {
    for (let count = 0; count < 3; count += 1) await harness.place();
    const all = getIds((await read()).data);
    const last = await read('?tail=4');
    expect(getIds(last.data)).toEqual(all.slice(2));
    const first = await read(`?tail=4&before=${last.previousCursor}`);
    expect(first).toMatchObject({ data: { length: 2 }, previousCursor: null });
    expect(getIds(first.data)).toEqual(all.slice(0, 2));
    // Both cursors are positions between the pages.
    expect(getIds((await read(`?after=${first.nextCursor}`)).data)).toEqual(all.slice(2));
    expect((await read(`?tail=4&before=${last.nextCursor}`)).data).toEqual(last.data);
    await harness.place();
    expect((await read(`?after=${last.nextCursor}`)).data).toHaveLength(2);
  });

  it('lists the last events of an empty log, and continues from there', async () => {
    const page = await read('?tail=10');
    expect(page).toEqual({ data: [], nextCursor: expect.any(String), previousCursor: null });
    await harness.place();
    expect((await read(`?after=${page.nextCursor}`)).data).toHaveLength(2);
  });

  it('lists the last events since and until a time, and of one type', async () => {
    const at = (seconds: number) => iso(noon + seconds * 1_000);
    const orders: Order[] = [];
    for (let count = 0; count < 3; count += 1) {
      orders.push(await harness.place());
      await harness.clock.advance(1_000);
    }
    const created = (page: EventPage) =>
      page.data.map(({ data }) =>
        orders.findIndex(({ id }) => 'orderId' in data && data.orderId === id),
      );
    const type = 'type=order.created';
    expect(created(await read(`?tail=2&${type}`))).toEqual([1, 2]);
    expect(created(await read(`?tail=9&${type}&until=${at(2)}`))).toEqual([0, 1]);
    expect(created(await read(`?tail=9&${type}&since=${at(1)}&until=${at(2)}`))).toEqual([1]);
    expect(created(await read(`?${type}&limit=2`))).toEqual([0, 1]);
    expect(created(await read(`?${type}&until=${at(1)}`))).toEqual([0]);
    // A time in the future is that of the request.
    const { data, nextCursor } = await read('?tail=9&since=2100-01-01T00:00:00Z');
    expect(data).toEqual([]);
    await harness.place();
    expect((await read(`?after=${nextCursor}`)).data).toHaveLength(2);
  });

  it('finds by until what was committed up to a minute after its time', async () => {
    const hour = 60 * 60 * 1_000;
    harness.clock.set(noon + hour);
    await harness.place();
    // The log goes on after the latest number, so these have the numbers of an hour later.
    harness.clock.set(noon + hour - 59_000);
    const late = await harness.place();
    const until = iso(noon + hour - 58_000);
    const found = await read(`?until=${until}&type=order.created`);
    expect(found.data).toMatchObject([{ data: { orderId: late.id } }]);
    expect((await read(`?tail=5&until=${until}&type=order.created`)).data).toEqual(found.data);
  });

  it('waits for an event of a type', async () => {
    const order = await harness.place();
    const { nextCursor } = await read('?type=task.completed');
    const waiting = read(`?type=task.completed&after=${nextCursor}&waitSeconds=30`);
    await move(order, 'confirmed');
    await move(order, 'cancelled');
    expect(getTypes(await waiting)).toEqual(['task.completed']);
  });

  it('rejects after and since together', async () => {
    const { nextCursor } = await read();
    const problem = getProblem(await requestEvents(`?after=${nextCursor}&since=${iso(noon)}`));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors).toMatchObject([{ path: 'since' }]);
  });

  it('says for a cursor that is sent as before what belongs there', async () => {
    const problem = getProblem(await requestEvents('?tail=5&before=abc'));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_cursor' });
    expect(problem.detail).toContain(
      'Send previousCursor of the previous page unchanged as before',
    );
  });

  it.each([
    'abc',
    Buffer.from('events.').toString('base64url'),
    Buffer.from('events.-1').toString('base64url'),
    Buffer.from('events.01').toString('base64url'),
    Buffer.from('events.1.5').toString('base64url'),
    Buffer.from('events.9999999999999999').toString('base64url'),
    `${Buffer.from('events.12').toString('base64url')}=`,
    Buffer.from(`${noon}.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH`).toString('base64url'),
  ])('rejects the cursor %s, which it never returned', async (cursor) => {
    const problem = getProblem(await requestEvents(`?after=${encodeURIComponent(cursor)}`));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });

  it.each([
    ['after=', 'after'],
    ['since=yesterday', 'since'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['waitSeconds=31', 'waitSeconds'],
    ['waitSeconds=-1', 'waitSeconds'],
    ['waitSeconds=1.5', 'waitSeconds'],
    ['waitSeconds=soon', 'waitSeconds'],
    ['cursor=abc', 'cursor'],
    ['orderId=', 'orderId'],
    ['orderId=lst_1', 'orderId'],
    ['type=order.deleted', 'type'],
    ['until=tomorrow', 'until'],
    ['tail=0', 'tail'],
    ['tail=5&limit=5', 'tail'],
    ['tail=5&after=now', 'tail'],
    ['before=abc', 'before'],
    ['until=2026-11-21T00:00:00Z&waitSeconds=5', 'waitSeconds'],
  ])('rejects the query %s and names %s', async (query, path) => {
    const problem = getProblem(await requestEvents(`?${query}`));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map((issue) => issue.path)).toEqual([path]);
  });
});

describe('GET /v1/events/{id}', () => {
  it('returns an event as the log has it, to those who may see it', async () => {
    await harness.place();
    const { data } = await read();
    const stranger = await harness.service.account('buyer');
    for (const event of data) {
      const request = `GET /v1/events/${event.id}`;
      for (const as of [harness.buyer, harness.seller, harness.agent]) {
        expect(getData(await harness.service.request(request, { as }))).toEqual(event);
      }
      const problem = getProblem(await harness.service.request(request, { as: stranger }));
      expect(problem).toMatchObject({ status: 404, code: 'event_not_found' });
    }
    const unknown = await harness.service.request('GET /v1/events/now', { as: harness.buyer });
    expect(getProblem(unknown).code).toBe('event_not_found');
  });
});
