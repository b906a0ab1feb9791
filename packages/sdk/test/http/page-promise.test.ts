import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { createPagePromise } from '../../src/http/pagination';
import { type ApiResponse, InvalidResponseError, type Page } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService } from '../helpers/scripted-service';

const pageResponse = (ids: string[], nextCursor: string | null): Step =>
  json(200, { data: ids.map((id) => anOrder({ id })), nextCursor });

async function threePages() {
  const service = await scriptedService(
    pageResponse(['ord_5', 'ord_4'], 'c1'),
    pageResponse(['ord_3', 'ord_2'], 'c2'),
    pageResponse(['ord_1'], null),
  );
  return { service, orders: createTestClient(service).orders };
}

test('an awaited list requests one page', async () => {
  const { service, orders } = await threePages();
  const page = await orders.list({ limit: 2 });
  expect(page.data.map(({ id }) => id)).toEqual(['ord_5', 'ord_4']);
  expect(page.nextCursor).toBe('c1');
  expect(service.seen.map(({ url }) => url)).toEqual(['/v1/orders?limit=2']);
});

test('a list that is awaited twice is requested once', async () => {
  const { service, orders } = await threePages();
  const list = orders.list();
  expect(await list).toBe(await list);
  expect(service.seen).toHaveLength(1);
});

test('an unused list is never requested', async () => {
  const { service, orders } = await threePages();
  orders.list().pages();
  await orders.list();
  expect(service.seen).toHaveLength(1);
});

test('a loop requests all pages with the same filters', async () => {
  const { service, orders } = await threePages();
  const ids: string[] = [];
  for await (const order of orders.list({ status: 'pending' })) ids.push(order.id);
  expect(ids).toEqual(['ord_5', 'ord_4', 'ord_3', 'ord_2', 'ord_1']);
  expect(service.seen.map(({ url }) => url)).toEqual([
    '/v1/orders?status=pending',
    '/v1/orders?status=pending&cursor=c1',
    '/v1/orders?status=pending&cursor=c2',
  ]);
});

test('a loop that ends early requests no further page', async () => {
  const { service, orders } = await threePages();
  for await (const order of orders.list()) if (order.id === 'ord_4') break;
  expect(service.seen).toHaveLength(1);
});

test('pages yields page by page, starting at a given cursor', async () => {
  const service = await scriptedService(pageResponse(['ord_3'], 'c2'), pageResponse([], null));
  const pages: Page<unknown>[] = [];
  for await (const page of createTestClient(service).orders.list({ cursor: 'c1' }).pages()) {
    pages.push(page);
  }
  expect(pages.map(({ data, nextCursor }) => [data.length, nextCursor])).toEqual([
    [1, 'c2'],
    [0, null],
  ]);
  expect(service.seen.map(({ url }) => url)).toEqual([
    '/v1/orders?cursor=c1',
    '/v1/orders?cursor=c2',
  ]);
});

test('toArray stops at its limit and requests no further page', async () => {
  const { service, orders } = await threePages();
  const collected = await orders.list().toArray({ limit: 3 });
  expect(collected.map(({ id }) => id)).toEqual(['ord_5', 'ord_4', 'ord_3']);
  expect(service.seen).toHaveLength(2);
});

test('toArray collects everything when the limit is Infinity', async () => {
  const { orders } = await threePages();
  expect(await orders.list().toArray({ limit: Number.POSITIVE_INFINITY })).toHaveLength(5);
});

test('toArray without a limit, as plain JavaScript can call it, throws a helpful error', async () => {
  const { orders } = await threePages();
  const collect: (options?: { limit: number }) => Promise<unknown> = Object(orders.list()).toArray;
  await expect(collect()).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: expect.stringContaining('toArray({ limit: 200 })'),
  });
});

test.each([0, -1, 1.5, Number.NaN])('toArray rejects a limit of %s', async (limit) => {
  const { service, orders } = await threePages();
  await expect(orders.list().toArray({ limit })).rejects.toMatchObject({
    code: 'invalid_configuration',
  });
  expect(service.seen).toHaveLength(0);
});

test('a service without extensions returns one page without a cursor', async () => {
  const service = await scriptedService(json(200, { data: [anOrder()] }));
  const { orders } = createTestClient(service);
  expect(await orders.list()).toEqual({ data: [anOrder()], nextCursor: null });
  expect(await orders.list().toArray({ limit: 10 })).toEqual([anOrder()]);
  expect(service.seen).toHaveLength(2);
});

test('a repeated cursor is an error, not an endless loop', async () => {
  const repeated = { data: [anOrder()], nextCursor: 'c1' };
  const service = await scriptedService(json(200, repeated, { 'X-Request-Id': 'req_7' }));
  const { orders } = createTestClient(service);
  const error = await catchTradepostError(orders.list().toArray({ limit: 10 }));
  expect(error).toMatchObject({
    name: 'InvalidResponseError',
    code: 'contract_mismatch',
    status: 200,
    requestId: 'req_7',
    method: 'GET',
    path: '/v1/orders',
  });
  expect(error.message).toBe(
    'GET /v1/orders returned 200, but its cursor leads back to an earlier page. Report it to the operator of the service. (request req_7)',
  );
  expect(service.seen).toHaveLength(2);
});

test('an empty cursor ends a list', async () => {
  const service = await scriptedService(pageResponse(['ord_1'], ''));
  const { orders } = createTestClient(service);
  expect(await orders.list()).toEqual({ data: [anOrder({ id: 'ord_1' })], nextCursor: null });
  expect(await orders.list().toArray({ limit: 10 })).toHaveLength(1);
  expect(service.seen).toHaveLength(2);
});

test('a failure during a loop is thrown from the loop', async () => {
  const service = await scriptedService(
    pageResponse(['ord_1'], 'c1'),
    problem(400, 'invalid_cursor'),
  );
  const ids: string[] = [];
  const loop = async () => {
    for await (const { id } of createTestClient(service).orders.list()) ids.push(id);
  };
  expect((await catchTradepostError(loop())).code).toBe('invalid_cursor');
  expect(ids).toEqual(['ord_1']);
});

describe('with any pages', () => {
  const neverStuck = () => new InvalidResponseError('stuck', { code: 'contract_mismatch' });
  const pageSizes = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 8 });

  /** Pages of the given sizes with consecutive numbers. The cursor is the position of the next page. */
  function requestPage(sizes: number[]) {
    let next = 0;
    const pages = sizes.map((size) => Array.from({ length: size }, () => next++));
    return async (cursor = '0'): Promise<ApiResponse<Page<number>>> => {
      const at = Number(cursor);
      const nextCursor = at + 1 < pages.length ? `${at + 1}` : null;
      const data = { data: pages[at] ?? [], nextCursor };
      return { data, status: 200, headers: new Headers(), requestId: null, extensions: [] };
    };
  }

  test('a loop yields each item once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(pageSizes, async (sizes) => {
        const items: number[] = [];
        for await (const item of createPagePromise(undefined, requestPage(sizes), neverStuck))
          items.push(item);
        expect(items).toEqual(items.map((_, at) => at));
        expect(items).toHaveLength(sizes.reduce((sum, size) => sum + size, 0));
      }),
    );
  });

  test('toArray gives the first items, never more than its limit', async () => {
    await fc.assert(
      fc.asyncProperty(pageSizes, fc.integer({ min: 1, max: 20 }), async (sizes, limit) => {
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const items = await createPagePromise(undefined, requestPage(sizes), neverStuck).toArray({
          limit,
        });
        expect(items).toEqual(Array.from({ length: Math.min(limit, total) }, (_, at) => at));
      }),
    );
  });
});
