import type { Order, OrderStatus } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { buyerId, fallbackNotice, rejectExtensions } from '../../helpers/order-filters';

const listingId = 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL';

/** Runs `orders list` with NDJSON, and returns the IDs. */
async function listIds(service: BareService, ...more: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await service.cli([
    ...['orders', 'list', '--output', 'ndjson'],
    ...more,
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
}

describe('the filters of orders list', () => {
  it('are sent to the service', async () => {
    const service = await BareService.start();
    await listIds(
      service,
      ...['--status', 'pending,confirmed', '--buyer', buyerId, '--listing', listingId],
      ...['--updated-since', '2026-11-20T00:00:00Z', '--sort', '-updatedAt'],
    );
    expect(service.seen[0]?.query).toEqual({
      status: 'pending,confirmed',
      buyerId,
      listingId,
      updatedAfter: '2026-11-19T23:59:59.999Z',
      sort: '-updatedAt',
      limit: '51',
    });
  });

  it.each([
    [['--buyer', buyerId]],
    [['--listing', listingId]],
    [['--updated-since', '2026-11-21T09:30:00Z']],
  ])('%j works with a service that ignores it', async (filter) => {
    const service = await BareService.start();
    service.orders = [
      anOrder({ id: 'ord_2' }),
      anOrder({
        id: 'ord_1',
        buyerId: 'usr_other',
        listingId: 'lst_other',
        updatedAt: '2026-11-21T09:29:59.999Z',
      }),
    ];
    expect(await listIds(service, ...filter)).toEqual(['ord_2']);
  });

  it('work with a service that rejects them, for any filters and page sizes', async () => {
    const service = await BareService.start();
    const filters: [string[], (order: Order) => boolean][] = [
      [['--buyer', buyerId], (order) => order.buyerId === buyerId],
      [['--listing', listingId], (order) => order.listingId === listingId],
      [['--since', '2026-11-21T09:30:10Z'], ({ createdAt }) => createdAt >= '2026-11-21T09:30:10'],
      [['--until', '2026-11-21T09:30:20Z'], ({ createdAt }) => createdAt < '2026-11-21T09:30:20'],
      [
        ['--updated-since', '2026-11-21T09:31:00Z'],
        (order) => order.updatedAt >= '2026-11-21T09:31',
      ],
      [['--status', 'pending,confirmed'], ({ status }) => status !== 'cancelled'],
    ];
    const aMixedOrder = fc.record({
      status: fc.constantFrom<OrderStatus[]>('pending', 'confirmed', 'cancelled'),
      buyerId: fc.constantFrom(buyerId, 'usr_other'),
      listingId: fc.constantFrom(listingId, 'lst_other'),
      updatedAt: fc.constantFrom('2026-11-21T09:31:00.000Z', '2026-11-21T09:30:59.000Z'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(aMixedOrder, { maxLength: 30 }),
        fc.subarray(filters, { minLength: 1 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (fields, chosen, limit, pageSize) => {
          const all = fields
            .map((field, index) => {
              const createdAt = `2026-11-21T09:30:${10 + index}.000Z`;
              return anOrder({ id: `ord_${10 + index}`, createdAt, ...field });
            })
            .reverse();
          service.instead = (request) => {
            const rejection = rejectExtensions(request);
            if (rejection) return rejection;
            const { status, cursor = '0' } = request.query;
            const found = all.filter((order) => status === undefined || order.status === status);
            const end = Number(cursor) + pageSize;
            const nextCursor = end < found.length ? String(end) : null;
            return { status: 200, body: { data: found.slice(Number(cursor), end), nextCursor } };
          };
          const options = chosen.flatMap(([option]) => option);
          const { stdout, stderr } = await service.cli([
            ...['orders', 'list', ...options, '--limit', String(limit)],
            ...['--jq', '[.[].id] | join(" ")', '--output', 'json'],
          ]);
          const wanted = all.filter((order) => chosen.every(([, accepts]) => accepts(order)));
          const ids = wanted.slice(0, limit).map(({ id }) => id);
          expect(stdout).toBe(`${ids.join(' ')}\n`);
          const hasFallback = chosen.some(([[option]]) => option !== '--status');
          expect(stderr.split(fallbackNotice).length - 1).toBe(hasFallback ? 1 : 0);
          const [, more = null] = /(more(?: may)? exist)/.exec(stderr) ?? [];
          expect(more).toBeOneOf(
            wanted.length > limit
              ? ['more exist', 'more may exist']
              : [null, ...(wanted.length === limit ? ['more may exist'] : [])],
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['buyerId', 'no such buyer'],
    ['buyerId', 'unknown buyer'],
    ['buyerId', 'must be an ID'],
    ['createdAfter', 'unexpected value'],
    ['buyerId', 'Value is not supported for query buyerId'],
  ])('are not left out if the service rejects a value: %s, %s', async (path, message) => {
    const service = await BareService.start();
    const errors = [
      { path: 'createdAfter', message: 'unknown parameter' },
      { path, message },
    ];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const { exitCode, stdout, stderr } = await service.cli(['orders', 'list', '--buyer', buyerId]);
    expect({ exitCode, stdout, requests: service.seen.length }).toEqual({
      exitCode: 1,
      stdout: '',
      requests: 1,
    });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(fallbackNotice);
  });

  it.each([
    ['unknown query parameter; known: status, cursor, limit'],
    ['Unrecognized key: "buyerId"'],
    ["Unrecognized key(s) in object: 'buyerId'"],
    ['Unsupported parameter'],
    ['Unexpected field buyerId'],
    ['must NOT have additional properties'],
    ['Extra inputs are not permitted'],
    ['"buyerId" is not allowed'],
    ['query parameter buyerId is not supported'],
    ['property buyerId should not exist'],
  ])('are left out if the service rejects a parameter: %s', async (message) => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_2' }), anOrder({ id: 'ord_1', buyerId: 'usr_other' })];
    const inIssue = { errors: [{ path: 'buyerId', message }] };
    const inDetail = { detail: message, errors: [{ path: 'buyerId', message: 'invalid' }] };
    for (const problem of [inIssue, inDetail]) {
      service.instead = ({ query }) =>
        query.buyerId === undefined ? undefined : aProblem(400, 'validation_failed', problem);
      const argv = ['orders', 'list', '--buyer', buyerId, '--jq', '.[].id', '--output', 'json'];
      expect(await service.cli(argv)).toEqual({
        exitCode: 0,
        stdout: 'ord_2\n',
        stderr: fallbackNotice,
      });
    }
  });

  it.each([
    [['--names']],
    [['--fields', 'buyerName', '--sort', 'updatedAt']],
    [['--names', '--output', 'csv', '--buyer', buyerId]],
  ])('say with %j that a service may not have names, which it rejects or ignores', async (args) => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    for (const isStrict of [true, false]) {
      service.isStrict = isStrict;
      const { exitCode, stdout, stderr } = await service.cli(['orders', 'list', ...args]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toContain(
        'hint: Names are extensions of the API that this service may not have: omit them.',
      );
    }
  });

  it('are not taken for names that a service may not have', async () => {
    const service = await BareService.start();
    const errors = [{ path: 'buyerId', message: 'no such buyer' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const argv = ['orders', 'list', '--names', '--buyer', buyerId];
    const { stderr } = await service.cli(argv);
    expect(stderr).toContain('buyerId: no such buyer');
    expect(stderr).not.toContain('Names are');
  });

  it('are an error if the service says that the field of a sort is wrong', async () => {
    const service = await BareService.start();
    const errors = [{ path: 'sort', message: 'must be createdAt' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--sort', 'updatedAt']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('sort: must be createdAt');
  });

  it.each([
    [['--buyer', 'ord_1'], 'IDs of this type begin with usr_.'],
    [['--listing', 'usr_1'], 'IDs of this type begin with lst_.'],
    [['--updated-since', 'yesterday'], 'Use an age such as 45s'],
    [['--sort', 'quantity'], 'Allowed choices are -createdAt, createdAt, -updatedAt, updatedAt.'],
    [['--status', 'pending,open'], "Invalid status 'open'."],
  ])('rejects %j before anything is sent', async (args, message) => {
    const service = await BareService.start();
    const { exitCode, stderr } = await service.cli(['orders', 'list', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });
});

describe('several statuses of orders list', () => {
  const orders = (['pending', 'completed', 'confirmed', 'pending'] as const).map((status, index) =>
    anOrder({ id: `ord_${9 - index}`, status, createdAt: `2026-11-21T09:3${9 - index}:00.000Z` }),
  );

  it.each([
    ['separated by commas', ['--status', 'pending,confirmed']],
    ['in several options', ['--status', 'pending', '--status', 'confirmed']],
  ])('%s are one request', async (_, filter) => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: orders } });
    expect(await listIds(service, ...filter)).toEqual(['ord_9', 'ord_7', 'ord_6']);
    expect(service.seen).toHaveLength(1);
  });

  it.each([
    ['finds none of that name', () => undefined],
    ['rejects them', rejectExtensions],
  ])('are merged from several lists if the service %s', async (_, instead) => {
    const service = await BareService.start();
    service.orders = orders;
    service.instead = instead;
    expect(await listIds(service, '--status', 'confirmed,pending')).toEqual([
      'ord_9',
      'ord_7',
      'ord_6',
    ]);
    expect(service.seen.map(({ query }) => query.status)).toEqual([
      'confirmed,pending',
      'confirmed',
      'pending',
    ]);
  });

  it('has the newest orders of all lists, up to the limit, for any orders and pages', async () => {
    const service = await BareService.start();
    const statuses = ['pending', 'confirmed', 'cancelled'] as const satisfies OrderStatus[];
    const anyOrders = fc.array(
      fc.record({ status: fc.constantFrom(...statuses), minute: fc.nat(20) }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(
        anyOrders,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (fields, limit, pageSize) => {
          const all = fields
            .map(({ status, minute }, index) =>
              anOrder({
                id: `ord_${10 + index}`,
                status,
                createdAt: `2026-11-21T09:${10 + minute}:00.000Z`,
              }),
            )
            .sort(newestFirst);
          service.instead = (request) => {
            const rejection = rejectExtensions(request);
            if (rejection) return rejection;
            const { status, cursor = '0' } = request.query;
            const found = all.filter((order) => order.status === status);
            const end = Number(cursor) + pageSize;
            const nextCursor = end < found.length ? String(end) : null;
            return { status: 200, body: { data: found.slice(Number(cursor), end), nextCursor } };
          };
          const { stdout, stderr } = await service.cli([
            ...['orders', 'list', '--status', 'pending,confirmed', '--limit', String(limit)],
            ...['--jq', '[.[].id] | join(" ")', '--output', 'json'],
          ]);
          const wanted = all.filter(({ status }) => status !== 'cancelled').map(({ id }) => id);
          expect(stdout).toBe(`${wanted.slice(0, limit).join(' ')}\n`);
          expect(stderr.includes('more exist')).toBe(wanted.length > limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

function newestFirst(one: Order, other: Order): number {
  const [first, second] = [one, other].map(({ createdAt, id }) => `${createdAt} ${id}`);
  return String(second).localeCompare(String(first));
}

describe('names in orders list', () => {
  const named = {
    ...anOrder({ agentId: null }),
    buyer: { id: buyerId, name: 'Harbour Street Café' },
    seller: { id: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS', name: 'Highland Growers' },
    agent: null,
    listing: { id: listingId, title: 'Green tea, 1 kg' },
  };

  async function startNamed(): Promise<BareService> {
    const service = await BareService.start();
    service.instead = ({ query }) => ({
      status: 200,
      body: { data: [query.expand === 'buyer,seller,agent,listing' ? named : anOrder()] },
    });
    return service;
  }

  it('are shown instead of IDs on a terminal', async () => {
    const service = await startNamed();
    const screen = { columns: 200 };
    const { stdout } = await service.cli(['orders', 'list'], { screen });
    expect(stdout.split('\n')[1]).toMatch(
      /Harbour Street Café {9}5 {2}Green tea, 1 kg {2}Highland Growers {2}-$/,
    );
    const ids = await service.cli(['orders', 'list', '--no-names'], { screen });
    expect(ids.stdout).toContain(buyerId);
    expect(service.seen.map(({ query }) => query.expand)).toEqual([
      'buyer,seller,agent,listing',
      undefined,
    ]);
  });

  it('are shown at 80 cells, before the quantity, and neither shown nor requested below', async () => {
    const service = await startNamed();
    const list = async (columns: number, ...options: string[]) => {
      const now = () => Date.parse(named.createdAt) + 23 * 3_600_000;
      const argv = ['orders', 'list', ...options];
      const { stdout } = await service.cli(argv, { screen: { columns }, now });
      return stdout.split('\n').slice(0, 2);
    };
    expect(await list(80)).toEqual([
      'ID                              STATUS   CREATED     BUYER',
      `${named.id}  pending  23 hr ago   Harbour Street Café`,
    ]);
    expect(await list(80, '--time', 'local')).toEqual([
      expect.stringMatching(/^ID +STATUS +CREATED +BUYER$/),
      expect.stringMatching(/ Harbou…Street Café$/),
    ]);
    expect(await list(79)).toEqual([
      expect.stringMatching(/^ID +STATUS +CREATED +QUANTITY$/),
      expect.stringMatching(/ 5$/),
    ]);
    expect(await list(60, '--names')).toEqual([
      expect.stringMatching(/^ID +STATUS +BUYER$/),
      expect.stringMatching(/Harbour Street Café$/),
    ]);
    const requested = service.seen.map(({ query }) => query.expand !== undefined);
    expect(requested).toEqual([true, true, false, true]);
  });

  it('are beside the IDs in JSON and CSV, on request', async () => {
    const service = await startNamed();
    const json = await service.cli(['orders', 'list', '--names', '--output', 'ndjson']);
    expect(json.stdout).toBe(
      `${JSON.stringify({
        id: named.id,
        status: 'pending',
        buyerId,
        buyerName: 'Harbour Street Café',
        sellerId: named.sellerId,
        sellerName: 'Highland Growers',
        agentId: null,
        agentName: null,
        listingId,
        listingTitle: 'Green tea, 1 kg',
        quantity: 5,
        createdAt: named.createdAt,
        updatedAt: named.updatedAt,
      })}\n`,
    );
    const fields = ['--fields', 'id,buyerName,listingTitle'];
    const csv = await service.cli(['orders', 'list', ...fields, '--output', 'csv']);
    expect(csv.stdout).toBe(
      `id,buyerName,listingTitle\n${named.id},Harbour Street Café,"Green tea, 1 kg"\n`,
    );
    const plain = await service.cli(['orders', 'list', '--output', 'csv']);
    expect(plain.stdout).not.toContain('Name');
  });

  it('are left out on a terminal if the service rejects or ignores the request for them', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const screen = { columns: 200 };
    const ignored = await service.cli(['orders', 'list'], { screen });
    service.instead = rejectExtensions;
    const rejected = await service.cli(['orders', 'list'], { screen });
    expect(rejected).toEqual(ignored);
    expect(rejected).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rejected.stdout).toContain(buyerId);
    const requested = await service.cli(['orders', 'list', '--names'], { screen });
    expect(requested.exitCode).toBe(1);
    expect(requested.stderr).toContain('Detail of validation_failed.');
  });
});
