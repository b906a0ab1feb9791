import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem, BareService } from '../../helpers/minimal-service';

const partners = [
  { id: 'usr_2', kind: 'buyer', name: 'Café North & South' },
  { id: 'usr_3', kind: 'buyer', name: 'Café North' },
  { id: 'usr_4', kind: 'seller', name: 'North Light' },
];

const account = { id: 'usr_5', kind: 'seller', name: 'Sorting Office' };

/** The service of a seller, whose partners are those whose name contains the text, by pages of one. */
async function aService(): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['orders.filters', 'paging', 'partners'];
  service.instead = ({ path, query: { name = '', cursor = '0' } }) => {
    if (path === '/v1/account') return { status: 200, body: { data: account } };
    if (path !== '/v1/partners') return undefined;
    const found = partners.filter((one) => one.name.toLowerCase().includes(name.toLowerCase()));
    const at = Number(cursor);
    const nextCursor = at + 1 < found.length ? String(at + 1) : null;
    return { status: 200, body: { data: found.slice(at, at + 1), nextCursor } };
  };
  return service;
}

const toOrders = (service: BareService) =>
  service.seen.filter(({ path }) => path === '/v1/orders').map(({ query }) => query);

describe('orders list --buyer and --seller with a name', () => {
  it.each([
    ['SOUTH', 'usr_2'],
    // The whole name of one, although another one has it too.
    ['café north', 'usr_3'],
    [' Café North ', 'usr_3'],
    ['usr_9', 'usr_9'],
  ])('list the orders of the buyer that %j means', async (name, buyerId) => {
    const service = await aService();
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--buyer', name, '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(toOrders(service)).toEqual([{ buyerId, limit: '50' }]);
  });

  it('finds buyers for --buyer and sellers for --seller', async () => {
    const service = await aService();
    await service.cli(['orders', 'count', '--seller', 'north', '--buyer', 'SOUTH']);
    expect(toOrders(service)).toMatchObject([{ buyerId: 'usr_2', sellerId: 'usr_4' }]);
  });

  it('finds the account itself, which is no partner of its own', async () => {
    const service = await aService();
    await service.cli(['orders', 'list', '--seller', 'sorting']);
    expect(toOrders(service)).toMatchObject([{ sellerId: 'usr_5' }]);
    const { exitCode } = await service.cli(['orders', 'list', '--buyer', 'sorting']);
    expect(exitCode).toBe(2);
  });

  it('is an error that lists those whose name it is a part of, if there are several', async () => {
    const service = await aService();
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--buyer', 'north']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "error: 2 buyers have 'north' in their names: usr_3 (Café North), usr_2 (Café North & South)\nhint: Use one of these IDs, or more of the name.\n",
    );
    expect(toOrders(service)).toEqual([]);
  });

  it('is an error if there is none', async () => {
    const service = await aService();
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--seller', 'South']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "error: No seller that this account has traded with has 'South' in its name\nhint: To see names, run `tradepost orders list --names`.\n",
    );
  });

  it('is an error if the service does not have the extension, and no other error is', async () => {
    const service = await BareService.start();
    const argv = ['orders', 'list', '--buyer', 'north'];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--buyer with a name needs the extension partners of the API');
    service.instead = () => aProblem(401, 'invalid_api_key');
    expect((await service.cli(argv)).exitCode).toBe(4);
  });
});

describe('orders list --quantity', () => {
  it.each([
    ['17', { minQuantity: '17', maxQuantity: '17' }],
    ['17..23', { minQuantity: '17', maxQuantity: '23' }],
    ['17..', { minQuantity: '17' }],
    ['..23', { maxQuantity: '23' }],
  ])('%s is sent to a service that has the filter', async (quantity, query) => {
    const service = await aService();
    await service.cli(['orders', 'list', '--quantity', quantity, '--json']);
    expect(toOrders(service)).toEqual([{ ...query, limit: '50' }]);
  });
});

describe('orders count', () => {
  const screen = { columns: 80, isTTY: true };

  async function count(total: object | undefined, ...more: string[]) {
    const service = await BareService.start();
    service.extensions = ['orders.count', 'orders.filters', 'paging'];
    service.instead = () => ({ status: 200, body: { data: [], nextCursor: null, total } });
    const { stdout } = await service.cli(['orders', 'count', ...more]);
    return { stdout, queries: service.seen.map(({ query }) => query) };
  }

  it('prints the number that the service counts', async () => {
    const { stdout, queries } = await count({ count: 1204, atLeast: false }, '--quantity', '5..');
    expect(stdout).toBe('1204\n');
    expect(queries).toEqual([{ minQuantity: '5', count: '100000', limit: '100' }]);
  });

  it('says if there are more than the service counts', async () => {
    const total = { count: 100_000, atLeast: true };
    expect((await count(total)).stdout).toBe('more than 100000\n');
    expect(JSON.parse((await count(total, '--json')).stdout)).toEqual(total);
    expect((await count(total, '--jq', '.count')).stdout).toBe('100000\n');
  });

  it('groups the digits on a terminal', async () => {
    const service = await BareService.start();
    service.instead = () => ({
      status: 200,
      body: { data: [], nextCursor: null, total: { count: 1204, atLeast: false } },
    });
    const { stdout } = await service.cli(['orders', 'count'], { screen });
    expect(stdout).toBe('1,204\n');
  });

  it.each([true, false])(
    'counts all pages of a service that does not, and rejects that: %s',
    async (isStrict) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.orders = [3, 4, 5].map((quantity) => anOrder({ quantity }));
      const argv = ['orders', 'count', '--quantity', '4..'];
      expect((await service.cli(argv)).stdout).toBe('2\n');
      expect((await service.cli(['orders', 'count'])).stdout).toBe('3\n');
    },
  );
});

describe('a list of orders that is cut on a terminal', () => {
  const screen = { columns: 80, isTTY: true };

  /** Lists orders of a service with this total, and returns the notice and the parameter of each request. */
  async function list(total: object | undefined, ...more: string[]) {
    const service = await BareService.start();
    service.extensions = ['orders.count', 'orders.filters', 'paging'];
    service.instead = ({ query: { cursor, limit } }) => ({
      status: 200,
      body: {
        data: Array.from({ length: Number(limit) }, () => anOrder()),
        nextCursor: cursor === undefined ? 'c1' : null,
        ...(cursor === undefined && { total }),
      },
    });
    const { stderr } = await service.cli(['orders', 'list', '--no-pager', ...more], { screen });
    return {
      stderr: stderr.replaceAll(/\s+/g, ' ').trim(),
      counts: service.seen.map(({ query }) => query.count),
    };
  }

  it.each([
    [{ count: 1000, atLeast: true }, 'Showing 2 of more than 1,000 orders.'],
    [{ count: 1000, atLeast: false }, 'Showing 2 of 1,000 orders.'],
    [undefined, 'Showing 2 orders; more exist.'],
  ])(
    'says how many there are, with a total of %j, without another request',
    async (total, said) => {
      expect(await list(total, '--limit', '2')).toEqual({
        stderr: `${said} Use --all, or a larger --limit.`,
        counts: ['1000'],
      });
    },
  );

  it('counts once, with the first page, and not with --all or for a program', async () => {
    expect((await list({ count: 200, atLeast: false }, '--limit', '101')).counts).toEqual([
      '1000',
      undefined,
    ]);
    expect((await list(undefined, '--all')).counts).toEqual([undefined, undefined]);
    expect((await list(undefined, '--output', 'csv')).counts).toEqual([undefined]);
  });
});
