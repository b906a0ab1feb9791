import type { Order, OrderStatus } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { buyerId, rejectExtensions } from '../../helpers/order-filters';

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
  const options = [
    ...['--status', 'pending,confirmed', '--buyer', buyerId, '--listing', listingId],
    ...['--updated-since', '2026-11-20T00:00:00Z'],
  ];
  const query = {
    status: 'pending,confirmed',
    buyerId,
    listingId,
    updatedAfter: '2026-11-19T23:59:59.999Z',
    limit: '50',
  };

  it('are applied by a service that has them', async () => {
    const service = await BareService.start();
    service.extensions = ['orders.filters', 'paging'];
    service.instead = () => ({ status: 200, body: { data: [anOrder({ buyerId: 'usr_other' })] } });
    expect(await listIds(service, ...options)).toEqual([anOrder().id]);
    expect(service.seen.map((request) => request.query)).toEqual([query]);
  });

  it.each([false, true])(
    'are applied here for a service that does not have them, and rejects them: %s',
    async (isStrict) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.orders = [anOrder({ id: 'ord_2', listingId }), anOrder({ listingId: 'lst_other' })];
      const { stdout, stderr } = await service.cli([
        'orders',
        'list',
        '--jq',
        '.[].id',
        ...options,
      ]);
      expect({ stdout, stderr }).toEqual({ stdout: 'ord_2\n', stderr: '' });
      expect(service.seen.map((request) => request.query)).toEqual([query, {}]);
    },
  );

  it('are an error if a service that has them rejects their values', async () => {
    const service = await BareService.start();
    service.extensions = ['orders.filters', 'paging'];
    const errors = [{ path: 'buyerId', message: 'no such buyer' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--buyer', buyerId]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('buyerId: no such buyer');
    expect(service.seen).toHaveLength(1);
  });

  it.each([500, 401, 404])('are not sent again after a %d', async (status) => {
    const service = await BareService.start();
    service.instead = () => aProblem(status, 'some_code');
    const argv = ['orders', 'list', '--buyer', buyerId, '--names'];
    const { stderr } = await service.cli(argv, { wait: async () => {} });
    expect(stderr).not.toContain('extension');
    expect(new Set(service.seen.map((request) => request.query.buyerId))).toEqual(
      new Set([buyerId]),
    );
  });

  it('work with a service that rejects them, for any filters and page sizes', async () => {
    const service = await BareService.start();
    const filters: [string[], (order: Order) => boolean][] = [
      [['--buyer', buyerId], (order) => order.buyerId === buyerId],
      [['--listing', listingId], (order) => order.listingId === listingId],
      [['--seller', 'usr_seller'], (order) => order.sellerId === 'usr_seller'],
      [['--quantity', '17..23'], ({ quantity }) => quantity >= 17 && quantity <= 23],
      [['--quantity', '..17'], ({ quantity }) => quantity <= 17],
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
      sellerId: fc.constantFrom('usr_seller', 'usr_other'),
      quantity: fc.constantFrom(16, 17, 23, 24),
      updatedAt: fc.constantFrom('2026-11-21T09:31:00.000Z', '2026-11-21T09:30:59.000Z'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(aMixedOrder, { maxLength: 30 }),
        fc.uniqueArray(fc.constantFrom(...filters), {
          minLength: 1,
          maxLength: 5,
          selector: ([[option]]) => option,
        }),
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
    ['separated by commas', ['--status', 'pending,confirmed']],
    ['in several options', ['--status', 'pending', '--status', 'confirmed']],
  ])('take several statuses %s', async (_, filter) => {
    const service = await BareService.start();
    service.orders = (['pending', 'completed', 'confirmed'] as const).map((status) =>
      anOrder({ id: `ord_${status}`, status }),
    );
    const { stdout } = await service.cli(['orders', 'list', '--jq', '.[].id', ...filter]);
    expect(stdout).toBe('ord_pending\nord_confirmed\n');
    expect(service.seen[0]?.query.status).toBe('pending,confirmed');
  });

  it.each([
    [['--buyer', 'ord_1'], 'IDs of this type begin with usr_.'],
    [['--seller', 'lst_1'], 'IDs of this type begin with usr_.'],
    [['--buyer', ' '], 'Use a part of the name, or usr_….'],
    [['--listing', 'usr_1'], 'IDs of this type begin with lst_.'],
    ...['0', '23..17', '..', '1..2..3', 'ten', '1.5', '-3', ''].map(
      (quantity) => [['--quantity', quantity], 'is invalid. Use a'] as [string[], string],
    ),
    [['--updated-since', 'tomorrow'], 'Use an age such as 45s'],
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
    service.extensions = ['orders.expand', 'paging'];
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

  it.each([false, true])(
    'are left out on a terminal if the service does not have them, and rejects them: %s',
    async (isStrict) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.orders = [anOrder()];
      const { exitCode, stdout, stderr } = await service.cli(['orders', 'list'], {
        screen: { columns: 200 },
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain(buyerId);
      expect(service.seen).toHaveLength(isStrict ? 2 : 1);
    },
  );

  it.each([
    [false, ['--names'], '--names'],
    [true, ['--names'], '--names'],
    [true, ['--fields', 'id,buyerName'], 'a name in --fields'],
  ])(
    'are an error if the service does not have them, and rejects them: %s %j',
    async (isStrict, options, name) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.orders = [anOrder()];
      expect(await service.cli(['orders', 'list', ...options])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `error: ${name} needs the extension orders.expand of the API, which this service does not have\nhint: Omit ${name}.\n`,
      });
      expect(service.seen).toHaveLength(1);
    },
  );
});
