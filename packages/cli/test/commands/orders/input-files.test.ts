// cspell:words kunde
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';
import { aFolder } from '../../helpers/webhook-builders';

const set = ['orders', 'set-status'];

async function saveFile(content: string | Buffer): Promise<string> {
  const file = join(await aFolder(), 'orders.csv');
  writeFileSync(file, content);
  return file;
}

const excel =
  '\ufeffKunde;Order No.;Status\r\nMüller;ord_1;Confirmed\r\nMeier;ord_2;cancelled\r\nx;ord_3;\r\n;;\r\n';

describe('orders set-status --file', () => {
  it('moves the orders in a column of a spreadsheet, and says which column that is', async () => {
    const { service, env } = await startPendingOrders(3);
    const argv = [...set, 'confirmed', '--yes', '--output', 'json', '--file'];
    const first = await service.cli([...argv, await saveFile(excel)], { env });
    expect(outcomesOf(first.stdout).map(({ id, to }) => [id, to])).toEqual([
      ['ord_1', 'confirmed'],
      ['ord_2', 'confirmed'],
      ['ord_3', 'confirmed'],
    ]);
    expect(first.stderr).toMatch(/^Read 3 order IDs from the column 'Order No\.'\.\n/);
  });

  it('moves each order to the status in a column, with the plan, the journal and the question of all runs', async () => {
    const { service, env } = await startPendingOrders(3);
    const argv = [...set, '--file', await saveFile(excel), '--status-column', 'status'];
    const asked = await service.cli(argv, { env });
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain('Left out 1 row without a status.\n');
    expect(asked.stderr).toContain(
      `Confirmation needed: Move 2 orders at ${service.baseUrl}: 1 to confirmed, 1 to cancelled (final)?`,
    );
    const tried = await service.cli([...argv, '--dry-run', '--output', 'json'], { env });
    expect(tried.stderr).toContain(
      'Would move 2 orders. It would be final for 1. Nothing changed.',
    );
    expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--yes', '--output', 'json'], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(outcomesOf(stdout).map(({ id, to }) => [id, to])).toEqual([
      ['ord_1', 'confirmed'],
      ['ord_2', 'cancelled'],
    ]);
    expect(stderr).toContain('2 orders moved.\n');
    const { stdout: jobs } = await service.cli(['jobs', 'list', '--json'], { env });
    expect(JSON.parse(jobs)).toMatchObject([{ state: 'complete', status: null, orders: 2 }]);
  });

  it('resumes each order to its own status', async () => {
    const { service, env, file } = await startPendingOrders(3);
    service.instead = () => ({ status: 401, body: undefined });
    const table = await saveFile(excel);
    const argv = [...set, '--file', table, '--status-column', 'Status', '--journal', file];
    expect((await service.cli([...argv, '--yes'], { env })).exitCode).toBe(4);
    service.instead = () => undefined;
    expect((await service.cli([...set, '--resume', file, '--yes'], { env })).exitCode).toBe(0);
    expect(service.orders.map(({ status }) => status)).toEqual([
      'confirmed',
      'cancelled',
      'pending',
    ]);
  });

  it.each([
    [['--status-column', 'status'], 'Columns are those of --file FILE or --stdin'],
    [['ord_1', 'confirmed', '--file', 'a.csv'], 'Pass IDs as arguments or in a file, not both'],
    [['confirmed', '--stdin', '--file', 'a.csv'], 'cannot be used with option'],
    [
      ['confirmed', '--file', '/nonexistent/a.csv'],
      'error: Cannot read IDs: no such file or directory: /nonexistent/a.csv\n',
    ],
    [
      ['confirmed', '--file', 'a.csv', '--status-column', 'to'],
      "--status-column has the status of each order: omit 'confirmed', or the option",
    ],
    [['--resume', 'latest', '--file', 'a.csv'], '--resume takes IDs, status, condition and reason'],
  ])('rejects %j', async (args, message) => {
    const { service, env } = await startPendingOrders(1);
    const { exitCode, stderr } = await service.cli([...set, ...args], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });

  it('rejects a status that no order has, with its line, before anything is sent', async () => {
    const { service, env } = await startPendingOrders(1);
    const input = 'id,status\nord_1,shipped\n';
    const argv = [...set, '--stdin', '--status-column', 'status', '--yes'];
    const { exitCode, stderr } = await service.cli(argv, { env, input });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Line 2: Invalid status 'shipped'. Use one of: pending, confirmed");
    expect(service.seen).toEqual([]);
  });
});

it('orders set-status does nothing for an empty list, with a column too', async () => {
  const { service, env } = await startPendingOrders(1);
  const argv = [...set, '--stdin', '--status-column', 'status', '--yes', '--json'];
  expect(await service.cli(argv, { env, input: '' })).toEqual({
    exitCode: 0,
    stdout: '[]\n',
    stderr: 'No IDs on stdin.\nNothing changed.\n',
  });
});

describe('orders get of many IDs', () => {
  it.each(['json', 'ndjson', 'csv', 'table'])(
    'prints a list as %s, and what is missing',
    async (output) => {
      const { service } = await startPendingOrders(2);
      const file = await saveFile('Order;x\r\nord_2;\r\nord_9;\r\nord_1;\r\n');
      const { exitCode, stdout, stderr } = await service.cli([
        'orders',
        'get',
        '--file',
        file,
        '--output',
        output,
      ]);
      expect(exitCode).toBe(7);
      expect(stdout.match(/ord_\d/g)).toEqual(['ord_2', 'ord_1']);
      expect(stderr).toContain('ord_9');
    },
  );

  it('prints a list for one ID of a file too, and an empty one for none', async () => {
    const { service } = await startPendingOrders(1);
    const get = ['orders', 'get', '--stdin', '--json'];
    expect(JSON.parse((await service.cli(get, { input: 'ord_1\n' })).stdout)).toHaveLength(1);
    expect(await service.cli(get, { input: '' })).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: 'No IDs on stdin.\n',
    });
  });
});
