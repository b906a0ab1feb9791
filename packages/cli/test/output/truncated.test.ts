import type { Order } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { aNotification, BareService } from '../helpers/minimal-service';
import type { CliSetting } from '../helpers/run-cli';

const orders = (count: number) =>
  Array.from({ length: count }, (_, index) => anOrder({ id: `ord_${index}` }));

/** A service that pages, as far as the limit of each request goes. */
async function pagingService(all: readonly Order[]): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['paging'];
  service.instead = ({ query }) => {
    const from = Number(query.cursor ?? 0);
    const to = from + Number(query.limit);
    const nextCursor = to < all.length ? String(to) : null;
    return { status: 200, body: { data: all.slice(from, to), nextCursor } };
  };
  return service;
}

async function bareService(count: number): Promise<BareService> {
  const service = await BareService.start();
  service.orders = orders(count);
  return service;
}

const list = (service: BareService, ...more: string[]) =>
  service.cli(['orders', 'list', '--fields', 'id', '--fail-if-truncated', ...more]);

describe.each([
  ['that pages', (count: number) => pagingService(orders(count))],
  ['without pages', bareService],
])('--fail-if-truncated, on a service %s', (_, serviceOf) => {
  it('exits 8 when there are more, with the requested ones on stdout', async () => {
    const service = await serviceOf(5);
    expect(await list(service, '--limit', '3', '--output', 'csv')).toEqual({
      exitCode: 8,
      stdout: 'id\nord_0\nord_1\nord_2\n',
      stderr:
        'error: The list was truncated after 3 orders\nhint: Use --all, or a larger --limit.\n',
    });
    for (const output of ['json', 'ndjson']) {
      const result = await list(service, '--limit', '3', '--output', output);
      const lines = output === 'json' ? result.stdout : `[${result.stdout.trim().split('\n')}]`;
      expect(JSON.parse(lines)).toEqual([{ id: 'ord_0' }, { id: 'ord_1' }, { id: 'ord_2' }]);
      expect(result.exitCode).toBe(8);
      expect(result.stderr).toMatch(/^[^\n]+\n$/);
      expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'truncated', status: null });
    }
    const asJq = await list(service, '--limit', '1', '--jq', '.[].id');
    expect(asJq).toMatchObject({ exitCode: 8, stdout: 'ord_0\n' });
    expect(JSON.parse(asJq.stderr).error.message).toMatch(/^The list was truncated after 1 order$/);
  });

  it('exits 8 at the default of 50, too', async () => {
    const { exitCode, stderr } = await list(await serviceOf(51));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 8,
      stderr:
        'error: The list was truncated after 50 orders\nhint: Use --all, or a larger --limit.\n',
    });
  });

  it.each(['--limit 5', '--limit 6', '--all'])(
    'exits 0 if the list is complete: %s',
    async (more) => {
      const { exitCode, stdout, stderr } = await list(await serviceOf(5), ...more.split(' '));
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toBe('ID\nord_0\nord_1\nord_2\nord_3\nord_4\n');
    },
  );

  it('exits 0 for 50 and for none', async () => {
    expect((await list(await serviceOf(50))).exitCode).toBe(0);
    expect((await list(await serviceOf(0))).exitCode).toBe(0);
  });
});

describe('--fail-if-truncated with a filter that the service does not know', () => {
  const unread = ['notifications', 'list', '--unread', '--fail-if-truncated', '--output', 'ndjson'];

  async function serviceWith(...read: boolean[]): Promise<BareService> {
    const service = await BareService.start();
    service.notifications = read.map((isRead, index) =>
      aNotification({ id: `ntf_${index}`, read: isRead }),
    );
    return service;
  }

  it('counts only matching items', async () => {
    const service = await serviceWith(false, true, false, true);
    const { exitCode, stdout, stderr } = await service.cli([...unread, '--limit', '2']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.slice(0, 13))).toEqual([
      '{"id":"ntf_0"',
      '{"id":"ntf_2"',
      '',
    ]);
  });

  it('exits 8 when more items match than are shown', async () => {
    const service = await serviceWith(true, false, true, false);
    const { exitCode, stdout, stderr } = await service.cli([...unread, '--limit', '1']);
    expect(exitCode).toBe(8);
    expect(JSON.parse(stdout).id).toBe('ntf_1');
    expect(JSON.parse(stderr).error.message).toMatch(
      /^The list was truncated after 1 notification$/,
    );
  });

  it('continues through pages without a match', async () => {
    const service = await BareService.start();
    const all = [true, true, true, true, false].map((read, index) =>
      aNotification({ id: `ntf_${index}`, read }),
    );
    service.instead = ({ query }) => {
      const from = Number(query.cursor ?? 0);
      const nextCursor = from + 1 < all.length ? String(from + 1) : null;
      return { status: 200, body: { data: [all[from]], nextCursor } };
    };
    const { exitCode, stdout } = await service.cli([...unread, '--limit', '1']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).id).toBe('ntf_4');
  });
});

describe('a filter of orders that the service does not have', () => {
  const buyerId = 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB';
  const filter = ['--buyer', buyerId, '--output', 'ndjson'];

  /** A paging service with orders of other buyers, except those at these places. */
  async function serviceWithOrdersAt(...places: number[]): Promise<BareService> {
    const all = Array.from({ length: 300 }, (_, index) =>
      anOrder({ id: `ord_${index}`, buyerId: places.includes(index) ? buyerId : 'usr_other' }),
    );
    return await pagingService(all);
  }
  const idsOf = (stdout: string) => stdout.match(/ord_\d+/g);
  const listFirst = (service: BareService, setting: CliSetting = {}, ...more: string[]) =>
    service.cli(['orders', 'list', '--fields', 'id', ...filter, '--limit', '1', ...more], setting);

  it('exits 0 if no other order passes it', async () => {
    const service = await serviceWithOrdersAt(0);
    const { exitCode, stdout, stderr } = await list(service, ...filter, '--limit', '1');
    expect({ exitCode, ids: idsOf(stdout), stderr }).toEqual({
      exitCode: 0,
      ids: ['ord_0'],
      stderr: '',
    });
  });

  it('exits 8 if another order passes it, on whatever page', async () => {
    const service = await serviceWithOrdersAt(0, 299);
    const { exitCode, stdout } = await list(service, ...filter, '--limit', '1');
    expect({ exitCode, ids: idsOf(stdout) }).toEqual({ exitCode: 8, ids: ['ord_0'] });
  });

  it('makes requests for the largest pages once it has rejected an order', async () => {
    const service = await serviceWithOrdersAt(250);
    const { stdout } = await list(service, ...filter, '--limit', '1');
    expect(idsOf(stdout)).toEqual(['ord_250']);
    expect(service.seen.map(({ query }) => query.limit)).toEqual(['1', '100', '100', '100']);
  });

  it.each([[[0, 50]], [[0, 150]], [[0]]])(
    'says that more exist, or may exist: %j',
    async (places) => {
      const service = await serviceWithOrdersAt(...places);
      const { exitCode, stdout, stderr } = await listFirst(service);
      expect({ exitCode, ids: idsOf(stdout), stderr }).toEqual({
        exitCode: 0,
        ids: ['ord_0'],
        stderr: `Showing 1 order; more ${places.includes(50) ? 'exist' : 'may exist'}. Use --all, or a larger --limit.\n`,
      });
      expect(service.seen.map(({ query }) => query.limit)).toEqual(['1', '100']);
    },
  );

  it('has no notice if the last page has no other match', async () => {
    const { stdout, stderr } = await listFirst(await serviceWithOrdersAt(250));
    expect({ ids: idsOf(stdout), stderr }).toEqual({ ids: ['ord_250'], stderr: '' });
  });

  it('needs no other request if the service has it', async () => {
    const service = await BareService.start();
    service.extensions = ['orders.filters', 'paging'];
    service.instead = ({ query }) => ({
      status: 200,
      body: {
        data: orders(3)
          .map((order) => ({ ...order, buyerId }))
          .slice(0, Number(query.limit)),
        nextCursor: 'next',
      },
    });
    const { exitCode } = await list(service, ...filter, '--limit', '1');
    expect({ exitCode, requests: service.seen.length }).toEqual({ exitCode: 8, requests: 1 });
  });
});

describe('the note that more exist', () => {
  it.each([
    [['webhooks', 'deliveries'], 'delivery'],
    [['webhooks', 'list'], 'webhook'],
    [['orders', 'list'], 'order'],
  ])('%j has a singular form', async (argv, noun) => {
    const service = await BareService.start();
    const item = anOrder();
    service.instead = () => ({ status: 200, body: { data: [item], nextCursor: 'next' } });
    const { stderr } = await service.cli([...argv, '--limit', '1', '--output', 'ndjson']);
    expect(stderr).toBe(`Showing 1 ${noun}; more exist. Use --all, or a larger --limit.\n`);
  });
});
