import type { Notification, Order, Page, Partner } from '@tradepost/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Actor,
  getData,
  getProblem,
  type HttpResponse,
  type Service,
  startService,
} from './service';

let service: Service;
let buyer: Actor;
let seller: Actor;
let placed: Order[];

function getPage<Item>(got: HttpResponse): Page<Item> {
  return JSON.parse(got.text) as Page<Item>;
}

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
  seller = await service.account('seller');
  const listing = await service.listing(seller);
  placed = [];
  for (let count = 0; count < 7; count += 1) {
    const body = { listingId: listing.id, quantity: count + 1 };
    placed.push(getData<Order>(await service.request('POST /v1/orders', { as: buyer, body })));
  }
  for (const { id } of placed.slice(0, 2)) {
    const body = { status: 'confirmed' };
    await service.request(`PATCH /v1/orders/${id}`, { as: seller, body });
  }
});
afterAll(() => service.close());

const newestFirst = () => placed.map(({ id }) => id).reverse();

async function follow(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = getPage<{ id: string }>(
      await service.request(`GET ${path}${query}`, { as: buyer }),
    );
    pages.push(page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return pages;
}

describe('GET /v1/orders', () => {
  it('lists the orders of the account, newest first', async () => {
    for (const as of [buyer, seller]) {
      const page = getPage<Order>(await service.request('GET /v1/orders', { as }));
      expect(page.data.map(({ id }) => id)).toEqual(newestFirst());
      expect(page.nextCursor).toBeNull();
    }
  });

  it('filters by creation time, both bounds exclusive', async () => {
    const { createdAt } = placed[3] as Order;
    const after = await service.request(`GET /v1/orders?createdAfter=${createdAt}`, { as: buyer });
    const before = await service.request(`GET /v1/orders?createdBefore=${createdAt}`, {
      as: buyer,
    });
    const found = [...getPage<Order>(after).data, ...getPage<Order>(before).data];
    const others = placed.filter((order) => order.createdAt !== createdAt);
    expect(found.map(({ id }) => id)).toEqual(others.map(({ id }) => id).reverse());
  });

  it('filters by several statuses, by buyer, by listing and by the time of the last change', async () => {
    const ids = async (query: string, as = seller) => {
      const got = await service.request(`GET /v1/orders?${query}`, { as });
      return getPage<Order>(got).data.map(({ id }) => id);
    };
    expect(await ids('status=pending,confirmed')).toEqual(newestFirst());
    expect(await ids('status=confirmed,cancelled')).toEqual(newestFirst().slice(-2));
    const { buyerId, listingId, createdAt } = placed[3] as Order;
    expect(await ids(`buyerId=${buyerId}`)).toEqual(newestFirst());
    expect(await ids(`buyerId=${buyerId}`, buyer)).toEqual(newestFirst());
    expect(await ids(`buyerId=${seller.id}`, buyer)).toEqual([]);
    expect(await ids(`listingId=${listingId}&status=confirmed`)).toEqual(newestFirst().slice(-2));
    const changed = await ids(`updatedAfter=${createdAt}`);
    expect(changed).toEqual(expect.arrayContaining(newestFirst().slice(-2)));
    expect(changed).not.toContain(placed[3]?.id);
  });

  it('filters by seller and by quantity, and by all that contradicts the account nothing', async () => {
    const ids = async (query: string, as = buyer) => {
      const got = await service.request(`GET /v1/orders?${query}`, { as });
      return getPage<Order>(got).data.map(({ id }) => id);
    };
    expect(await ids(`sellerId=${seller.id}`)).toEqual(newestFirst());
    expect(await ids(`sellerId=${seller.id}`, seller)).toEqual(newestFirst());
    expect(await ids(`sellerId=${buyer.id}`)).toEqual([]);
    expect(await ids(`sellerId=${buyer.id}`, seller)).toEqual([]);
    expect(await ids('minQuantity=6')).toEqual(newestFirst().slice(0, 2));
    expect(await ids('maxQuantity=2')).toEqual(newestFirst().slice(-2));
    expect(await ids('minQuantity=3&maxQuantity=3')).toEqual([placed[2]?.id]);
    expect(await ids('minQuantity=1&maxQuantity=1000000')).toEqual(newestFirst());
  });

  it.each([
    ['count=100&limit=2', { count: 7, atLeast: false }],
    ['count=7&limit=2', { count: 7, atLeast: false }],
    ['count=6', { count: 6, atLeast: true }],
    ['count=3&limit=2&status=confirmed', { count: 2, atLeast: false }],
    ['count=5&limit=2&sort=updatedAt', { count: 5, atLeast: true }],
    ['count=5&limit=2&minQuantity=4', { count: 4, atLeast: false }],
    ['count=5&buyerId=usr_none', { count: 0, atLeast: false }],
  ])('returns the total for %s, whichever page it is', async (query, total) => {
    const path = `GET /v1/orders?${query}`;
    const page = getPage<Order>(await service.request(path, { as: buyer }));
    expect(page).toMatchObject({ total });
    if (page.nextCursor === null) return;
    const next = await service.request(`${path}&cursor=${page.nextCursor}`, { as: buyer });
    expect(getPage(next)).toMatchObject({ total });
  });

  it('returns no total without count, and counts nothing for a page with the whole list', async () => {
    const counts = vi.spyOn(service.store.orders, 'countOrders');
    const plain = getPage(await service.request('GET /v1/orders?limit=2', { as: buyer }));
    expect(plain).not.toHaveProperty('total');
    const whole = getPage(await service.request('GET /v1/orders?count=10', { as: buyer }));
    expect(whole).toMatchObject({ total: { count: 7, atLeast: false } });
    expect(counts).not.toHaveBeenCalled();
    counts.mockRestore();
  });

  it.each([
    ['createdAt', () => newestFirst().reverse()],
    ['-createdAt', newestFirst],
    [
      'updatedAt',
      () => [...newestFirst().slice(0, -2).reverse(), ...newestFirst().slice(-2).reverse()],
    ],
    ['-updatedAt', () => [...newestFirst().slice(-2), ...newestFirst().slice(0, -2)]],
  ])('sorts by %s, page by page', async (sort, expected) => {
    expect((await follow(`/v1/orders?limit=3&sort=${sort}`)).flat()).toEqual(expected());
  });

  it.each([
    ['-createdAt', 'createdAt'],
    ['createdAt', '-createdAt'],
    ['createdAt', 'updatedAt'],
    ['-updatedAt', 'updatedAt'],
  ])('rejects a cursor of the sort %s in a list by %s', async (sort, other) => {
    const path = `GET /v1/orders?limit=2&sort=${sort}`;
    const { nextCursor } = getPage(await service.request(path, { as: buyer }));
    const again = `GET /v1/orders?sort=${other}&cursor=${nextCursor}`;
    const problem = getProblem(await service.request(again, { as: buyer }));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_cursor' });
    expect(problem.detail).toContain('with the same sort');
  });

  it('takes the default sort for the sort of a cursor that does not name it', async () => {
    const first = getPage(await service.request('GET /v1/orders?limit=2', { as: buyer }));
    const path = `GET /v1/orders?sort=-createdAt&cursor=${first.nextCursor}`;
    const next = getPage<Order>(await service.request(path, { as: buyer }));
    expect(next.data.map(({ id }) => id)).toEqual(newestFirst().slice(2));
  });

  it('expands the names of each order, in one query for the page', async () => {
    const find = vi.spyOn(service.store.orders, 'findNames');
    const path = 'GET /v1/orders?limit=5&expand=buyer,seller,agent,listing';
    const { data } = getPage<Order>(await service.request(path, { as: buyer }));
    expect(find.mock.calls).toHaveLength(1);
    find.mockRestore();
    const plain = getPage<Order>(await service.request('GET /v1/orders?limit=5', { as: buyer }));
    expect(data).toEqual(
      plain.data.map((order) => ({
        ...order,
        buyer: { id: buyer.id, name: 'buyer' },
        seller: { id: seller.id, name: 'seller' },
        agent: null,
        listing: { id: order.listingId, title: null },
      })),
    );
  });

  it.each([
    ['expand=keys', 'expand'],
    ['expand=', 'expand'],
    ['expand=buyer.name', 'expand'],
  ])('rejects the query %s and names %s, also of one order', async (query, path) => {
    for (const list of ['/v1/orders', `/v1/orders/${placed[0]?.id}`]) {
      const problem = getProblem(await service.request(`GET ${list}?${query}`, { as: buyer }));
      expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
      expect(problem.errors?.map((issue) => issue.path)).toEqual([path]);
    }
  });

  it('returns every order once, page by page', async () => {
    const pages = await follow('/v1/orders?limit=3');
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(newestFirst());
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['status=shipped', 'status'],
    ['status=pending&status=confirmed', 'status'],
    ['status=pending,lost', 'status'],
    ['status=', 'status'],
    ['buyerId=lst_1', 'buyerId'],
    ['listingId=x', 'listingId'],
    ['sellerId=lst_1', 'sellerId'],
    ['minQuantity=0', 'minQuantity'],
    ['maxQuantity=1.5', 'maxQuantity'],
    ['minQuantity=3&maxQuantity=2', 'maxQuantity'],
    ['count=0', 'count'],
    ['count=100001', 'count'],
    ['updatedAfter=yesterday', 'updatedAfter'],
    ['sort=quantity', 'sort'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['createdBefore=2026-11-21T09:30:00', 'createdBefore'],
    ['stauts=pending', 'stauts'],
  ])('rejects the query %s and names %s', async (query, path) => {
    const problem = getProblem(await service.request(`GET /v1/orders?${query}`, { as: buyer }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map((issue) => issue.path)).toEqual([path]);
  });

  it('rejects a repeated parameter', async () => {
    const path = 'GET /v1/orders?status=pending&status=confirmed';
    const problem = getProblem(await service.request(path, { as: buyer }));
    expect(problem.errors?.[0]?.message).toBe('was sent more than once; send it once');
  });

  it('rejects the cursor of another list', async () => {
    const notifications = getPage(
      await service.request('GET /v1/notifications?limit=1', { as: buyer }),
    );
    const path = `GET /v1/orders?cursor=${notifications.nextCursor}`;
    expect(getProblem(await service.request(path, { as: buyer })).code).toBe('invalid_cursor');
  });

  it('rejects a cursor that it never returned', async () => {
    const problem = getProblem(await service.request('GET /v1/orders?cursor=abc', { as: buyer }));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });
});

describe('GET /v1/partners', () => {
  const list = async (query: string, as: Actor) =>
    getPage<Partner>(await service.request(`GET /v1/partners${query}`, { as }));

  it('lists the accounts with which the account has traded, with their kinds and names', async () => {
    expect(await list('', buyer)).toEqual({
      data: [{ id: seller.id, kind: 'seller', name: 'seller' }],
      nextCursor: null,
    });
    expect((await list('', seller)).data.map(({ id }) => id)).toEqual([buyer.id]);
    expect((await list('', await service.account('buyer'))).data).toEqual([]);
  });

  it('finds them by a part of their name, page by page', async () => {
    const listing = await service.listing(seller);
    const ids = [buyer.id];
    for (let count = 0; count < 4; count += 1) {
      const other = await service.account('buyer');
      ids.unshift(other.id);
      const body = { listingId: listing.id, quantity: 1 };
      await service.request('POST /v1/orders', { as: other, body });
    }
    expect((await list('?name=none', seller)).data).toEqual([]);
    for (const query of ['?limit=2', '?limit=2&name=UYE']) {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page<Partner> = await list(`${query}${cursor && `&cursor=${cursor}`}`, seller);
        found.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(ids);
    }
  });

  it.each([['name='], ['kind=buyer'], ['limit=0']])('rejects the query %s', async (query) => {
    const got = await service.request(`GET /v1/partners?${query}`, { as: buyer });
    expect(getProblem(got)).toMatchObject({ status: 422, code: 'validation_failed' });
  });

  it('rejects the cursor of another list', async () => {
    const orders = getPage(await service.request('GET /v1/orders?limit=1', { as: buyer }));
    const path = `GET /v1/partners?cursor=${orders.nextCursor}`;
    expect(getProblem(await service.request(path, { as: buyer })).code).toBe('invalid_cursor');
  });
});

describe('GET and PATCH /v1/notifications', () => {
  it('returns to each participant of an order a notification of each event, including the actor', async () => {
    const { id } = placed[0] as Order;
    for (const as of [buyer, seller]) {
      const page = getPage<Notification>(await service.request('GET /v1/notifications', { as }));
      const ofOrder = page.data.filter(({ orderId }) => orderId === id);
      expect(ofOrder.map(({ type }) => type)).toEqual(['order_status_changed', 'order_created']);
      expect(ofOrder[0]?.message).toBe(`Order ${id} is now confirmed (was pending).`);
    }
  });

  it('returns pages as the list of orders does', async () => {
    const pages = await follow('/v1/notifications?limit=4');
    const ids = pages.flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(placed.length + 2);
  });

  it('marks a notification as read, also repeatedly', async () => {
    const all = getPage<Notification>(
      await service.request('GET /v1/notifications', { as: buyer }),
    );
    const { id } = all.data[0] as Notification;
    for (const _time of ['once', 'twice']) {
      const got = await service.request(`PATCH /v1/notifications/${id}`, {
        as: buyer,
        body: { read: true },
      });
      expect(got.status).toBe(200);
      expect(getData(got)).toMatchObject({ id, read: true });
    }
    const read = await service.request('GET /v1/notifications?read=true', { as: buyer });
    expect(getPage<Notification>(read).data.map((one) => one.id)).toEqual([id]);
    const unread = await service.request('GET /v1/notifications?read=false', { as: buyer });
    expect(getPage<Notification>(unread).data.map((one) => one.id)).not.toContain(id);
  });

  it('marks all from before a time, repeats the response, and allows no other method', async () => {
    const read = '/v1/notifications/read';
    const list = async (query: string) =>
      getPage<Notification>(
        await service.request(`GET /v1/notifications?limit=100&${query}`, { as: seller }),
      ).data;
    const before = (await list(''))[0]?.createdAt ?? '';
    const older = (await list('read=false')).filter(({ createdAt }) => createdAt < before);
    const headers = { 'idempotency-key': 'mark-all' };
    const request = { as: seller, body: { before }, headers };
    const marked = { marked: older.length, hasMore: false };
    for (const _time of ['once', 'twice']) {
      const got = await service.request(`POST ${read}`, request);
      expect([got.status, getData(got)]).toEqual([200, marked]);
    }
    expect((await list('read=true')).map(({ id }) => id)).toEqual(older.map(({ id }) => id));
    const options = await service.request(`OPTIONS ${read}`, { as: seller });
    expect(options.headers.get('allow')).toBe('POST');
    const wrong = await service.request(`POST ${read}`, { as: seller, body: {} });
    expect(getProblem(wrong).errors).toMatchObject([{ path: 'before' }]);
  });

  it('does not make a notification unread', async () => {
    const all = getPage<Notification>(
      await service.request('GET /v1/notifications', { as: buyer }),
    );
    const path = `PATCH /v1/notifications/${all.data[0]?.id}`;
    const problem = getProblem(await service.request(path, { as: buyer, body: { read: false } }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.[0]?.path).toBe('read');
  });

  it("returns 404 for another account's notification", async () => {
    const all = getPage<Notification>(
      await service.request('GET /v1/notifications', { as: buyer }),
    );
    const path = `PATCH /v1/notifications/${all.data[0]?.id}`;
    const problem = getProblem(await service.request(path, { as: seller, body: { read: true } }));
    expect(problem).toMatchObject({ status: 404, code: 'notification_not_found' });
  });
});
