import { describe, expect, it } from 'vitest';
import { aProblem } from '../helpers/minimal-service';
import { startPendingOrders } from '../helpers/pending-orders';

const set = ['orders', 'set-status'];

/** Two jobs, a minute apart: in the first an order failed with what may pass, the second is complete. */
async function startWithJobs() {
  const { service, env } = await startPendingOrders(4);
  const from = Date.parse('2026-11-26T10:00:00Z');
  service.instead = ({ method, path }) =>
    method === 'PATCH' && path.endsWith('ord_2') ? aProblem(500, 'internal_error') : undefined;
  const first = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes'];
  const setting = { env, now: () => from, wait: async () => {} };
  expect((await service.cli(first, setting)).exitCode).toBe(7);
  service.instead = () => undefined;
  const second = [...set, 'ord_3', 'ord_4', 'cancelled', '--yes'];
  expect((await service.cli(second, { env, now: () => from + 60_000 })).exitCode).toBe(0);
  return { service, env };
}

describe('jobs list', () => {
  it('prints the bulk changes that have a journal, newest first', async () => {
    const { service, env } = await startWithJobs();
    const { exitCode, stdout } = await service.cli(['jobs', 'list', '--output', 'json'], { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        createdAt: '2026-11-26T10:01:00.000Z',
        state: 'complete',
        status: 'cancelled',
        ifStatus: null,
        orders: 2,
        done: 2,
        skipped: 0,
        failed: 0,
        left: 0,
        baseUrl: service.baseUrl,
        apiKeyPrefix: '…',
        journal: expect.stringMatching(/set-status-20261126T100100Z-\d+\.ndjson$/),
      },
      expect.objectContaining({ state: 'failed', done: 1, failed: 1, left: 0 }),
    ]);
  });

  it('calls a job incomplete while orders are left, and failed if none is', async () => {
    const { service, env } = await startPendingOrders(2);
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(409, 'invalid_transition') : undefined;
    const argv = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes', '--max-failures', '1'];
    await service.cli(argv, { env });
    const list = async () => {
      const fields = ['--fields', 'state,failed,left', '--output', 'csv'];
      return (await service.cli(['jobs', 'list', ...fields], { env })).stdout.split('\n')[1];
    };
    expect(await list()).toBe('incomplete,1,1');
    await service.cli([...set, '--resume', 'latest', '--yes'], { env });
    expect(await list()).toBe('failed,2,0');
  });

  it('tells jobs apart on a terminal, by the names of their journals', async () => {
    const { service, env } = await startWithJobs();
    const { stdout } = await service.cli(['jobs', 'list'], { env, screen: { columns: 120 } });
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/LEFT +JOURNAL( |$)/);
    const journals = rows.map((row) => row.split(/ {2,}/).at(8));
    expect(journals).toEqual([
      expect.stringMatching(/^set-status-.*\.ndjson$/),
      expect.stringMatching(/^set-status-.*\.ndjson$/),
    ]);
    expect(new Set(journals).size).toBe(2);
  });

  it('has the same columns on a terminal whatever the times, states and counts are', async () => {
    const { service, env } = await startWithJobs();
    const screen = { columns: 80 };
    const headings = new Set<string>();
    for (const [argv, now] of [
      [[], '2026-11-26T10:02:00Z'],
      [[], '2026-11-27T10:00:00Z'],
      [[], '2027-11-20T10:00:00Z'],
      [['--time', 'local'], '2026-11-26T10:02:00Z'],
    ] as const) {
      const { stdout } = await service.cli(['jobs', 'list', ...argv], {
        env,
        screen,
        now: () => Date.parse(now),
      });
      headings.add(stdout.split('\n')[0]?.replaceAll(/ +/g, ' ') ?? '');
    }
    expect([...headings]).toEqual(['STARTED STATE TO ORDERS DONE SKIPPED FAILED LEFT']);
  });

  it('says that there are none', async () => {
    const { service, env } = await startPendingOrders(1);
    expect(await service.cli(['jobs', 'list'], { env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No jobs found.\n',
    });
  });
});

describe('orders set-status --resume latest', () => {
  it('continues the newest journal with orders that failed', async () => {
    const { service, env } = await startWithJobs();
    const argv = [...set, '--resume', 'latest', '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).map(({ id, to }: { id: string; to: string }) => [id, to])).toEqual([
      ['ord_1', 'confirmed'],
      ['ord_2', 'confirmed'],
    ]);
    expect(stderr).toMatch(/^Journal: \S+set-status-20261126T100000Z-\d+\.ndjson\n/);
  });

  it('leaves the journals of other keys alone, and says so', async () => {
    const { service, env } = await startWithJobs();
    const other = { ...env, TRADEPOST_API_KEY: 'tpk_otherkeyofanotheraccount' };
    const before = service.seen.length;
    const argv = [...set, '--resume', 'latest', '--yes'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env: other });
    expect({ exitCode, stdout, sent: service.seen.length - before }).toEqual({
      exitCode: 2,
      stdout: '',
      sent: 0,
    });
    expect(stderr).toBe(
      [
        `error: No journal of ${service.baseUrl} can be resumed that was started with this key, tpk_othe…`,
        'hint: The newest one is of the key …. To see all journals, run `tradepost jobs list`.',
        '',
      ].join('\n'),
    );
  });

  it.each(['tpk_test0', 'tpk_short'])(
    'tells keys apart that are shown alike: %s',
    async (TRADEPOST_API_KEY) => {
      const { service, env } = await startWithJobs();
      const other = { ...env, TRADEPOST_API_KEY };
      const { exitCode, stderr } = await service.cli([...set, '--resume', 'latest', '--yes'], {
        env: other,
      });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('can be resumed that was started with this key, …\n');
    },
  );

  it('takes the newest journal of the key, although another key has a newer one', async () => {
    const { service, env } = await startWithJobs();
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(500, 'internal_error') : undefined;
    const other = { ...env, TRADEPOST_API_KEY: 'tpk_otherkeyofanotheraccount' };
    const now = () => Date.parse('2026-11-26T11:00:00Z');
    const setting = { env: other, now, wait: async () => {} };
    await service.cli([...set, 'ord_3', 'ord_4', 'confirmed', '--yes'], setting);
    service.instead = () => undefined;
    const argv = [...set, '--resume', 'latest', '--yes', '--output', 'json'];
    const { stderr } = await service.cli(argv, { env });
    expect(stderr).toMatch(/^Journal: \S+set-status-20261126T100000Z-\d+\.ndjson\n/);
    const jobs = await service.cli(['jobs', 'list', '--fields', 'apiKeyPrefix,state'], { env });
    expect(jobs.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['KEY', 'STATE'],
      ['tpk_othe…', 'failed'],
      ['…', 'complete'],
      ['…', 'complete'],
      [''],
    ]);
  });

  it('says with --dry-run what would change, and only about orders that are left', async () => {
    const { service, env } = await startWithJobs();
    const argv = [...set, '--resume', 'latest', '--dry-run', '--output', 'csv'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--fields', 'id,outcome'], {
      env,
    });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'id,outcome\nord_2,would_change\n',
      stderr: 'Would move 1 order to confirmed. Nothing changed.\n',
    });
  });

  it('is an error if no journal of this service can be resumed', async () => {
    const { env } = await startWithJobs();
    const { service } = await startPendingOrders(1);
    const { exitCode, stderr } = await service.cli([...set, '--resume', 'latest'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`No journal of ${service.baseUrl} can be resumed`);
    expect(stderr).toContain('run `tradepost jobs list`.');
  });
});
