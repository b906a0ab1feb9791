import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem, BareService } from '../../helpers/minimal-service';

function orders(count: number) {
  return Array.from({ length: count }, (_, index) =>
    anOrder({ id: `ord_${String(index).padStart(26, '0')}`, quantity: index + 1 }),
  );
}

describe('orders list', () => {
  it('shows a table, at full width on a pipe', async () => {
    const service = await BareService.start();
    service.orders = [
      anOrder({ id: 'ord_2', status: 'confirmed', agentId: 'usr_agent' }),
      anOrder({ id: 'ord_1', quantity: 1_000 }),
    ];
    expect(await service.cli(['orders', 'list'])).toEqual({
      exitCode: 0,
      stdout: [
        'ID     STATUS     CREATED                   BUYER                           QUANTITY  LISTING                         SELLER                          AGENT',
        'ord_2  confirmed  2026-11-21T09:30:00.000Z  usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB         5  lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL  usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS  usr_agent',
        'ord_1  pending    2026-11-21T09:30:00.000Z  usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB      1000  lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL  usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS  -',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('fits the table to the terminal and keeps IDs complete', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const { stdout } = await service.cli(['orders', 'list'], {
      screen: { columns: 80 },
      now: () => Date.parse('2026-11-21T10:00:00.000Z'),
    });
    expect(stdout).toBe(
      [
        'ID                              STATUS   CREATED     QUANTITY',
        'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH  pending  30 min ago         5',
        '',
      ].join('\n'),
    );
  });

  it('colours headings and statuses on a terminal that supports colours', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2', status: 'cancelled' })];
    const screen = { columns: 26, colours: true };
    const { stdout } = await service.cli(['orders', 'list'], { screen });
    expect(stdout).toBe(
      [
        '\u001b[1mID   \u001b[22m  \u001b[1mSTATUS   \u001b[22m  \u001b[1mQUANTITY\u001b[22m',
        'ord_1  \u001b[33mpending  \u001b[39m         5',
        'ord_2  \u001b[2mcancelled\u001b[22m         5',
        '',
      ].join('\n'),
    );
  });

  it('sends the status filter, and no other', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2', status: 'completed' })];
    const argv = ['orders', 'list', '--status', 'completed', '--output', 'ndjson'];
    const { stdout } = await service.cli(argv);
    expect(JSON.parse(stdout)).toEqual(anOrder({ id: 'ord_2', status: 'completed' }));
    expect(service.seen.map(({ path, query }) => ({ path, query }))).toEqual([
      { path: '/v1/orders', query: { status: 'completed', limit: '50' } },
    ]);
  });

  it('sends the key of the environment and its own user agent', async () => {
    const service = await BareService.start();
    await service.cli(['orders', 'list'], { env: { TRADEPOST_API_KEY: 'tpk_mine\n' } });
    expect(service.seen[0]?.headers.authorization).toBe('Bearer tpk_mine');
    expect(service.seen[0]?.headers['user-agent']).toMatch(
      /^tradepost-cli\/\d+\.\d+\.\d+ tradepost-sdk\//,
    );
  });

  it('prefers --base-url to the environment', async () => {
    const service = await BareService.start();
    const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' };
    const { exitCode } = await service.cli(['orders', 'list', '--base-url', service.baseUrl], {
      env,
    });
    expect(exitCode).toBe(0);
  });

  it('shows 50 by default, and reports that more exist', async () => {
    const service = await BareService.start();
    service.orders = orders(51);
    const result = await service.cli(['orders', 'list', '--output', 'json']);
    expect(JSON.parse(result.stdout)).toEqual(service.orders.slice(0, 50));
    expect(result.stderr).toBe('Showing 50 orders; more exist. Use --all, or a larger --limit.\n');
    expect(result.exitCode).toBe(0);
  });

  it('shows everything that a service without a cursor returns', async () => {
    const service = await BareService.start();
    service.orders = orders(130);
    const result = await service.cli(['orders', 'list', '--all', '--output', 'json']);
    expect(JSON.parse(result.stdout)).toEqual(service.orders);
    expect(result.stderr).toBe('');
  });

  it('follows the cursor up to the limit', async () => {
    const service = await BareService.start();
    service.extensions = ['paging'];
    const all = orders(250);
    service.instead = ({ query }) => {
      const from = Number(query.cursor ?? 0);
      const to = from + Number(query.limit);
      const nextCursor = to < all.length ? String(to) : null;
      return { status: 200, body: { data: all.slice(from, to), nextCursor } };
    };
    const list = (...more: string[]) => service.cli(['orders', 'list', '--output=ndjson', ...more]);
    const ids = (stdout: string) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id);

    const some = await list('--limit', '120');
    expect(ids(some.stdout)).toEqual(all.slice(0, 120).map((order) => order.id));
    expect(some.stderr).toBe('Showing 120 orders; more exist. Use --all, or a larger --limit.\n');

    const every = await list('--all');
    expect(ids(every.stdout)).toEqual(all.map((order) => order.id));
    expect(every.stderr).toBe('');

    const exact = await list('--limit', '250');
    expect(ids(exact.stdout)).toHaveLength(250);
    expect(exact.stderr).toBe('');
  });

  it('prints only a note instead of an empty table', async () => {
    const service = await BareService.start();
    expect(await service.cli(['orders', 'list'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No orders found.\n',
    });
    expect(await service.cli(['orders', 'list', '--output', 'json'])).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: '',
    });
  });

  it('writes CSV with every field', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const { stdout } = await service.cli(['orders', 'list', '--output', 'csv']);
    expect(stdout).toBe(
      [
        'id,status,buyerId,sellerId,agentId,listingId,quantity,createdAt,updatedAt',
        'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH,pending,usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB,usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS,,lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL,5,2026-11-21T09:30:00.000Z,2026-11-21T09:30:00.000Z',
        '',
      ].join('\n'),
    );
  });

  it('leaves the JSON open when a later page fails', async () => {
    const service = await BareService.start();
    service.instead = ({ query }) =>
      query.cursor
        ? aProblem(400, 'invalid_cursor')
        : { status: 200, body: { data: orders(2), nextCursor: 'next' } };
    const result = await service.cli(['orders', 'list', '--all', '--output', 'json']);
    expect(result.exitCode).toBe(1);
    expect(() => JSON.parse(result.stdout)).toThrow(SyntaxError);
    expect(JSON.parse(result.stderr).error.code).toBe('invalid_cursor');
  });

  it('ends without an error when the reader closes the pipe, and requests no more pages', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: orders(2), nextCursor: 'next' } });
    const result = await service.cli(['orders', 'list', '--all'], {
      stdout: brokenStream('EPIPE'),
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(service.seen).toHaveLength(1);
  });

  it('reports that the data cannot be written', async () => {
    const service = await BareService.start();
    service.orders = orders(1);
    const result = await service.cli(['orders', 'list'], { stdout: brokenStream('ENOSPC') });
    expect(result).toMatchObject({
      exitCode: 1,
      stderr: [
        'error: Cannot write to stdout: write ENOSPC',
        'hint: The output is incomplete: do not use it.',
        '',
      ].join('\n'),
    });
  });
});

describe('orders get', () => {
  it('shows every field on a separate line, including unknown ones', async () => {
    const service = await BareService.start();
    service.orders = [{ ...anOrder(), giftNote: 'for\u001b[2J you' } as never];
    const { stdout, exitCode } = await service.cli(['orders', 'get', anOrder().id]);
    expect(stdout).toBe(
      [
        'id         ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
        'status     pending',
        'buyerId    usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
        'sellerId   usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
        'agentId    -',
        'listingId  lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL',
        'quantity   5',
        'createdAt  2026-11-21T09:30:00.000Z',
        'updatedAt  2026-11-21T09:30:00.000Z',
        'giftNote   for\\u001b[2J you',
        '',
      ].join('\n'),
    );
    expect(exitCode).toBe(0);
  });

  it('prints an object as JSON', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const { stdout } = await service.cli(['--output', 'json', 'orders', 'get', anOrder().id]);
    expect(stdout).toBe(`${JSON.stringify(anOrder(), null, 2)}\n`);
  });
});

describe('orders set-status', () => {
  it('changes the status and prints the order, with nothing on stderr', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const argv = ['orders', 'set-status', anOrder().id, 'fulfilling', '--output', 'ndjson'];
    const result = await service.cli(argv);
    const updatedAt = service.orders[0]?.updatedAt ?? '';
    expect(updatedAt).not.toBe(anOrder().updatedAt);
    expect(result).toEqual({
      exitCode: 0,
      stdout: `${JSON.stringify(anOrder({ status: 'fulfilling', updatedAt }))}\n`,
      stderr: '',
    });
    const path = `/v1/orders/${anOrder().id}`;
    expect(service.seen.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'GET', path, body: undefined },
      { method: 'PATCH', path, body: { status: 'fulfilling' } },
    ]);
  });

  it('rejects an unknown status before anything is sent, and names the valid ones', async () => {
    const service = await BareService.start();
    expect(await service.cli(['orders', 'set-status', 'ord_1', 'shipped'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        "error: Invalid status 'shipped'. Use one of: pending, confirmed, fulfilling, completed, cancelled",
        'hint: See `tradepost orders set-status --help`.',
        '',
      ].join('\n'),
    });
    expect(service.seen).toEqual([]);
  });
});
