import type { OrderStatus } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { BareService } from '../../helpers/minimal-service';
import { buyerId, fallbackNotice, rejectExtensions } from '../../helpers/order-filters';

const sortNotice = 'The service may not sort orders; reading all of them to sort them.\n';

describe('the sort of orders list', () => {
  it.each([
    ['ignores', false],
    ['rejects', true],
  ])('works with a service that %s it', async (_how, isStrict) => {
    const service = await BareService.start();
    service.isStrict = isStrict;
    service.orders = [
      anOrder({ id: 'ord_3', updatedAt: '2026-11-21T09:30:00.000Z' }),
      anOrder({ id: 'ord_2', updatedAt: '2026-11-21T09:32:00.000Z' }),
      anOrder({ id: 'ord_1', updatedAt: '2026-11-21T09:31:00.000Z', status: 'confirmed' }),
    ];
    const list = async (...more: string[]) => {
      const argv = ['orders', 'list', '--sort', '-updatedAt', ...more];
      return await service.cli([...argv, '--output', 'csv', '--fields', 'id']);
    };
    expect(await list()).toEqual({
      exitCode: 0,
      stdout: 'id\nord_2\nord_1\nord_3\n',
      // Its only page has all orders.
      stderr: isStrict ? sortNotice : '',
    });
    expect((await list('--status', 'pending', '--limit', '1')).stdout).toBe('id\nord_2\n');
    expect((await list('--status', 'pending,confirmed')).stdout).toBe('id\nord_2\nord_1\nord_3\n');
    const filtered = await list('--buyer', buyerId);
    expect(filtered.stdout).toBe('id\nord_2\nord_1\nord_3\n');
    expect(filtered.stderr).toBe(isStrict ? `${fallbackNotice}${sortNotice}` : '');
  });

  it('works with any service, for any orders, filters, limits and pages', async () => {
    const service = await BareService.start();
    const aMixedOrder = fc.record({
      status: fc.constantFrom<OrderStatus[]>('pending', 'confirmed', 'cancelled'),
      buyerId: fc.constantFrom(buyerId, 'usr_other'),
      second: fc.integer({ min: 10, max: 59 }),
    });
    const pendingAt = (second: number) => ({
      status: 'pending' as const,
      buyerId: buyerId as typeof buyerId,
      second,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(aMixedOrder, { maxLength: 30 }),
        fc.subarray([
          ['--buyer', buyerId],
          ['--status', 'pending,confirmed'],
        ]),
        fc.constantFrom(...(['updatedAt', '-updatedAt'] as const)),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 2, max: 9 }),
        fc.boolean(),
        fc.boolean(),
        async (fields, filters, sort, limit, pageSize, isRejected, takesSeveral) => {
          const all = fields.map(({ second, ...field }, index) =>
            anOrder({
              id: `ord_${10 + index}`,
              createdAt: `2026-11-21T09:${59 - index}:00.000Z`,
              updatedAt: `2026-11-21T10:00:${second}.000Z`,
              ...field,
            }),
          );
          service.instead = (request) => {
            if (isRejected && rejectExtensions(request)) return rejectExtensions(request);
            const { status, cursor = '0' } = request.query;
            const wantedStatuses = takesSeveral ? status?.split(',') : status && [status];
            const found = all.filter(
              (order) => !wantedStatuses || wantedStatuses.includes(order.status),
            );
            const end = Number(cursor) + pageSize;
            const nextCursor = end < found.length ? String(end) : null;
            return { status: 200, body: { data: found.slice(Number(cursor), end), nextCursor } };
          };
          const { stdout } = await service.cli([
            ...['orders', 'list', '--sort', sort, '--limit', String(limit), ...filters.flat()],
            ...['--jq', '[.[].id] | join(" ")', '--output', 'json'],
          ]);
          const flags = filters.map(([flag]) => flag);
          const wanted = all
            .filter(({ buyerId: id }) => !flags.includes('--buyer') || id === buyerId)
            .filter(({ status }) => !flags.includes('--status') || status !== 'cancelled')
            .map(({ updatedAt }) => updatedAt)
            .sort();
          if (sort === '-updatedAt') wanted.reverse();
          const times = new Map(all.map(({ id, updatedAt }) => [id, updatedAt]));
          const ids = stdout.trim().split(' ').filter(Boolean);
          expect(ids.map((id) => times.get(id))).toEqual(wanted.slice(0, limit));
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      {
        numRuns: 60,
        examples: [
          // The first page has the sort by chance: as it is, and with equal times.
          [[10, 10, 11].map(pendingAt), [], '-updatedAt' as const, 1, 2, false, true],
          [[12, 11, 13].map(pendingAt), [], '-updatedAt' as const, 2, 2, false, true],
          // Of several lists, one is not sorted.
          [
            [pendingAt(10), { ...pendingAt(10), status: 'confirmed' as const }, pendingAt(11)],
            [['--status', 'pending,confirmed']],
            '-updatedAt' as const,
            1,
            2,
            false,
            false,
          ],
        ],
      },
    );
  });
});

describe('an ignored sort of orders list', () => {
  const [newest, oldest] = [
    anOrder({ id: 'ord_2', createdAt: '2026-11-21T09:31:00.000Z' }),
    anOrder({ id: 'ord_1', createdAt: '2026-11-21T09:30:00.000Z' }),
  ];

  it.each([[[]], [['--status', 'pending,confirmed']]])(
    'is noticed also with --limit 1 and %j',
    async (more) => {
      const service = await BareService.start();
      service.instead = ({ query }) => {
        const data = [newest, oldest].slice(0, Number(query.limit));
        return { status: 200, body: { data, nextCursor: data.length < 2 ? 'next' : null } };
      };
      const argv = ['orders', 'list', '--sort', 'createdAt', '--limit', '1', ...more];
      const { exitCode, stdout, stderr } = await service.cli([...argv, '--fields', 'id']);
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'ID\nord_1\n' });
      expect(stderr).toBe(
        `${sortNotice}Showing 1 order; more exist. Use --all, or a larger --limit.\n`,
      );
    },
  );

  it('is noticed although the first page has the sort by chance', async () => {
    const service = await BareService.start();
    service.instead = ({ query }) => ({
      status: 200,
      body: query.cursor
        ? { data: [oldest], nextCursor: null }
        : { data: [newest], nextCursor: 'next' },
    });
    const argv = ['orders', 'list', '--sort', 'createdAt', '--all', '--fields', 'id'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 0,
      stdout: 'ID\nord_1\nord_2\n',
      stderr: sortNotice,
    });
  });

  it('is noticed if the service has a limit and no cursor', async () => {
    const service = await BareService.start();
    service.instead = ({ query }) => {
      const data = [newest, { ...newest, id: 'ord_3' }, oldest].slice(0, Number(query.limit));
      return { status: 200, body: { data } };
    };
    const argv = ['orders', 'list', '--sort', 'createdAt', '--limit', '1', '--fields', 'id'];
    expect((await service.cli(argv)).stdout).toBe('ID\nord_1\n');
  });

  it('of a list in one piece costs no other request, however many orders there are', async () => {
    const service = await BareService.start();
    const data = Array.from({ length: 150_000 }, (_, index) => ({ ...newest, id: `ord_${index}` }));
    service.instead = () => ({ status: 200, body: { data: [...data, oldest] } });
    const argv = ['orders', 'list', '--sort', 'createdAt', '--limit', '1', '--fields', 'id'];
    expect((await service.cli(argv)).stdout).toBe('ID\nord_1\n');
    expect(service.seen).toHaveLength(1);
  });

  it('with null instead of orders is an invalid response', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: [null, null] } });
    const { exitCode, stderr } = await service.cli(['orders', 'list', '--sort', 'createdAt']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The service sent null where an object was expected');
  });

  it('is an error from page to page', async () => {
    const service = await BareService.start();
    const middle = anOrder({ id: 'ord_3', createdAt: '2026-11-21T09:30:30.000Z' });
    const pages = new Map([
      [undefined, { data: [oldest], nextCursor: 'second' }],
      ['second', { data: [newest], nextCursor: 'third' }],
      ['third', { data: [middle], nextCursor: null }],
    ]);
    service.instead = ({ query: { sort, cursor } }) => {
      const reverse = { data: [newest], nextCursor: 'more' };
      return { status: 200, body: sort === 'createdAt' ? pages.get(cursor) : reverse };
    };
    const argv = ['orders', 'list', '--sort', 'createdAt', '--all'];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The service did not sort the orders by createdAt');
  });

  it('costs a request for the other end of the list, if there is more than a page', async () => {
    const service = await BareService.start();
    service.instead = ({ query: { sort } }) => ({
      status: 200,
      body: { data: [sort === '-createdAt' ? newest : oldest], nextCursor: 'next' },
    });
    const argv = ['orders', 'list', '--sort', '-createdAt', '--limit', '1', '--status', 'pending'];
    const { exitCode } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(service.seen.map(({ query }) => query)).toEqual([
      { status: 'pending', sort: '-createdAt', limit: '2' },
      { status: 'pending', sort: 'createdAt', limit: '2' },
    ]);
  });
});

describe('a table of orders by their last change', () => {
  it('has the time of that change on a narrow terminal too', async () => {
    const service = await BareService.start();
    const now = () => Date.parse('2026-11-21T10:59:00.000Z');
    service.orders = [anOrder({ status: 'fulfilling', updatedAt: '2026-11-21T10:00:00.000Z' })];
    const argv = ['orders', 'list', '--sort', '-updatedAt'];
    const { stdout } = await service.cli(argv, { screen: { columns: 60 }, now });
    expect(stdout).toBe(
      [
        'ID                              STATUS      UPDATED',
        'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH  fulfilling  59 min ago',
        '',
      ].join('\n'),
    );
  });

  it.each([[['--sort', 'updatedAt']], [['--updated-since', '2026-11-20']]])(
    'with %j has the time of that change',
    async (options) => {
      const service = await BareService.start();
      service.orders = [anOrder({ updatedAt: '2026-11-21T10:00:00.000Z' })];
      const { stdout } = await service.cli(['orders', 'list', ...options]);
      expect(stdout).toMatch(/^ID +STATUS +UPDATED +BUYER .*\n.* 2026-11-21T10:00:00.000Z /);
      expect((await service.cli(['orders', 'list'])).stdout).toMatch(
        / CREATED .*\n.* 2026-11-21T09:30/,
      );
    },
  );
});
