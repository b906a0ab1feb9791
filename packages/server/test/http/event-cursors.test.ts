import type { EventPage } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pruneBefore } from '../stores/conformance/pruned-logs';
import { DeliveringService } from './delivering-service';
import { type Actor, getProblem } from './service';

const day = 24 * 60 * 60 * 1000;

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const request = (query: string, as: Actor = harness.buyer) =>
  harness.service.request(`GET /v1/events${query}`, { as });

async function read(query: string): Promise<EventPage> {
  const { status, text } = await request(query);
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text) as EventPage;
}

const getOrders = ({ data }: EventPage) =>
  data.flatMap(({ event, data: about }) => (event === 'order.created' ? [about.orderId] : []));

/** Places an order a day after the last one. */
async function placeNextDay(): Promise<string> {
  harness.clock.set(harness.clock.now() + day);
  return (await harness.place()).id;
}

/** Removes what happened until now. */
const prune = () => pruneBefore(harness.service.store, harness.clock.now() + 1);

describe('a cursor of the event log', () => {
  it('is expired once an event after it was removed', async () => {
    await harness.place();
    const { nextCursor: old } = await read('');
    const empty = await read(`?after=${old}`);
    await placeNextDay();
    const { nextCursor: recent } = await read(`?after=${old}`);
    await prune();
    const kept = await placeNextDay();
    for (const cursor of [old, empty.nextCursor]) {
      const problem = getProblem(await request(`?after=${cursor}`));
      expect(problem).toMatchObject({ status: 410, code: 'cursor_expired' });
      expect(problem.detail).toContain('after=now');
    }
    expect(getOrders(await read(`?after=${recent}`))).toEqual([kept]);
    expect(getOrders(await read(''))).toEqual([kept]);
  });

  it('is expired if it is of an empty log whose first events were removed', async () => {
    const { nextCursor } = await read('');
    await harness.place();
    await prune();
    expect(getProblem(await request(`?after=${nextCursor}`)).code).toBe('cursor_expired');
  });

  it('at the end of an idle log is not expired, although all events were removed', async () => {
    await harness.place();
    const { nextCursor } = await read('');
    await prune();
    const page = await read(`?after=${nextCursor}`);
    expect(page).toEqual({ data: [], nextCursor, hasMore: false });
    const next = await placeNextDay();
    expect(getOrders(await read(`?after=${page.nextCursor}`))).toEqual([next]);
  });

  it.each(['', `?since=${new Date(noon - day).toISOString()}`])(
    'of a client that starts with "%s" after a removal is not expired by that',
    async (query) => {
      const kept = (await harness.place()).id;
      const removed = await placeNextDay();
      // The older one stays because of its notifications; the newer one has none any more.
      const { store } = harness.service;
      for (const { id: accountId } of [harness.buyer, harness.seller, harness.agent]) {
        const page = { after: null, limit: 10 };
        const found = await store.notifications.listNotifications(accountId, {}, page);
        for (const { id, orderId } of found) {
          if (orderId === removed) await store.notifications.markRead(accountId, id);
        }
      }
      const before = harness.clock.now() + 1;
      const step = { after: null, before, eventsBefore: before, limit: 100 };
      await store.retention.pruneNotifications({ ...step, unread: false });
      let page = await read(`${query || '?'}&limit=1`.replace('?&', '?'));
      expect(getOrders(page)).toEqual([kept]);
      page = await read(`?limit=1&after=${page.nextCursor}`);
      page = await read(`?limit=1&after=${page.nextCursor}`);
      expect(page.data).toEqual([]);
      const next = await placeNextDay();
      const last = page.nextCursor;
      expect(getOrders(await read(`?after=${last}`))).toEqual([next]);
      await prune();
      expect(getProblem(await request(`?after=${last}`)).code).toBe('cursor_expired');
    },
  );

  it('of a client that follows one order is not expired by the events of others, as long as it polls', async () => {
    const { id } = await harness.place();
    let { nextCursor } = await read(`?orderId=${id}`);
    for (let count = 0; count < 3; count += 1) {
      await placeNextDay();
      // Polls, then the others go.
      ({ nextCursor } = await read(`?orderId=${id}&after=${nextCursor}`));
    }
    const step = { after: null, before: harness.clock.now() + 1, limit: 100 };
    await harness.service.store.retention.pruneNotifications({
      ...step,
      eventsBefore: step.before,
      unread: true,
    });
    expect(getProblem(await request(`?orderId=${id}&after=${nextCursor}`)).code).toBe(
      'cursor_expired',
    );
    const again = await read(`?orderId=${id}`);
    expect(again.data).toEqual([]);
    const polled = await read(`?orderId=${id}&after=${again.nextCursor}`);
    await placeNextDay();
    const later = await read(`?orderId=${id}&after=${polled.nextCursor}`);
    expect(later.data).toEqual([]);
    await harness.service.request(`PATCH /v1/orders/${id}`, {
      as: harness.seller,
      body: { status: 'confirmed' },
    });
    const changed = await read(`?orderId=${id}&after=${later.nextCursor}`);
    expect(changed.data[0]).toMatchObject({ event: 'order.status_changed' });
  });
});

describe('after=now', () => {
  it('is the end of the log: only what is committed later follows', async () => {
    await harness.place();
    const { data, nextCursor } = await read('?after=now');
    expect(data).toEqual([]);
    const next = await placeNextDay();
    expect(getOrders(await read(`?after=${nextCursor}`))).toEqual([next]);
  });

  it('waits for the next event with waitSeconds, whatever the clock says', async () => {
    await harness.place();
    harness.clock.set(noon - day);
    const waiting = read('?after=now&waitSeconds=30');
    // The request is waiting once the server has a timer for it.
    while (harness.clock.pendingTimers < 1) await new Promise(setImmediate);
    const { nextCursor } = await read('?after=now');
    const { id } = await harness.place();
    expect(getOrders(await waiting).length).toBeLessThanOrEqual(1);
    expect(getOrders(await read(`?after=${nextCursor}`))).toEqual([id]);
  });

  it.each(['2100-01-01T00:00:00Z', new Date(noon + 1).toISOString()])(
    'is what since=%s means, which is in the future',
    async (since) => {
      await harness.place();
      const { data, nextCursor } = await read(`?since=${since}`);
      expect(data).toEqual([]);
      const { id } = await harness.place();
      expect(getOrders(await read(`?after=${nextCursor}`))).toEqual([id]);
    },
  );

  it('excludes since', async () => {
    const since = new Date(noon).toISOString();
    const problem = getProblem(await request(`?after=now&since=${since}`));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.detail).toMatch(/after .* since/);
  });
});
