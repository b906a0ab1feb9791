import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { startPendingOrders } from '../../helpers/pending-orders';

const screen = { columns: 120 };

/** Three pending orders, and one that is completed. */
async function startMixedOrders() {
  const started = await startPendingOrders(4);
  started.service.orders[3] = anOrder({ id: 'ord_4', status: 'completed' });
  return { ...started, argv: ['orders', 'set-status', ...started.ids, 'confirmed'] };
}

describe('orders set-status of several orders on a terminal', () => {
  it.each([
    ['only the orders that failed', [], false],
    ['all orders with --verbose', ['--verbose'], true],
  ])('lists %s', async (_, args, isWhole) => {
    const { service, env, argv } = await startMixedOrders();
    service.instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('ord_2') ? { status: 404, body: undefined } : undefined;
    const { exitCode, stdout, stderr } = await service.cli([...argv, ...args, '--yes'], {
      env,
      screen,
    });
    expect(exitCode).toBe(7);
    expect(stdout).toContain('ord_2');
    expect(stdout.includes('ord_1')).toBe(isWhole);
    expect(stderr).toContain('error: 4 orders: 3 moved to confirmed, 1 failed\n');
    expect(stderr.includes('  ord_2: ')).toBe(isWhole);
  });

  it('lists all in a pipe', async () => {
    const { service, env, argv, ids } = await startMixedOrders();
    const { stdout } = await service.cli([...argv, '--yes'], { env });
    for (const id of ids) expect(stdout).toContain(id);
  });
});

describe('Ctrl-C during orders set-status', () => {
  it.each([
    ['once on a terminal', { screen }, 1],
    ['also at once elsewhere, where a kill may follow', {}, 2],
  ])('prints how to resume %s', async (_, setting, times) => {
    const { service, ids, env } = await startPendingOrders(4);
    const interrupt = new AbortController();
    service.instead = ({ method }) => {
      if (method === 'PATCH') interrupt.abort();
      return undefined;
    };
    const argv = ['orders', 'set-status', ...ids, 'confirmed', '--yes', '--concurrency', '1'];
    const { signal } = interrupt;
    const { exitCode, stderr } = await service.cli(argv, { env, signal, ...setting });
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Finishing requests in flight. Press Ctrl-C again to quit now.');
    expect(stderr.match(/Resume with:/g)).toHaveLength(times);
    expect(stderr.trimEnd()).toMatch(/hint: Resume with:[^:]*$/);
  });
});

describe('orders set-status --dry-run', () => {
  it('finds the transitions that the contract does not allow', async () => {
    const { service, env, argv } = await startMixedOrders();
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--dry-run'], {
      env,
      screen,
    });
    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/ord_4 +completed +- +would_fail +Would fail: completed is final\n/);
    expect(stdout).not.toContain('ord_1');
    expect(stderr).toContain('4 orders: 3 would move to confirmed, 1 would fail\n');
    expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('names the statuses that are possible, and exits with 6 if nothing is', async () => {
    const { service, env } = await startPendingOrders(1);
    const argv = ['orders', 'set-status', 'ord_1', 'completed', '--dry-run', '--output', 'json'];
    const { exitCode, stdout } = await service.cli(argv, { env });
    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        outcome: 'would_fail',
        from: 'pending',
        to: null,
        code: 'invalid_transition',
        message: 'Would fail: pending can move to confirmed, fulfilling or cancelled',
      },
    ]);
  });

  it('does not predict anything about a status that the contract does not have', async () => {
    const { service, env } = await startPendingOrders(1);
    service.orders = [anOrder({ id: 'ord_1', status: 'disputed' as never })];
    const argv = ['orders', 'set-status', 'ord_1', 'cancelled', '--dry-run'];
    expect(await service.cli(argv, { env })).toMatchObject({ exitCode: 0 });
  });
});
