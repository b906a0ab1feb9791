import { describe, expect, it } from 'vitest';
import { aProblem } from '../helpers/minimal-service';
import { startPendingOrders } from '../helpers/pending-orders';

const set = ['orders', 'set-status'];

/** Two jobs, a minute apart: the first is incomplete, the second complete. */
async function startWithJobs() {
  const { service, env } = await startPendingOrders(4);
  const from = Date.parse('2026-11-26T10:00:00Z');
  service.instead = ({ method, path }) =>
    method === 'PATCH' && path.endsWith('ord_2') ? aProblem(409, 'invalid_transition') : undefined;
  const first = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes'];
  expect((await service.cli(first, { env, now: () => from })).exitCode).toBe(7);
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
        journal: expect.stringMatching(/set-status-20261126T100100Z-\d+\.ndjson$/),
      },
      expect.objectContaining({ state: 'incomplete', done: 1, failed: 1, left: 0 }),
    ]);
  });

  it('tells jobs apart on a terminal, by the end of the names of their journals', async () => {
    const { service, env } = await startWithJobs();
    const { stdout } = await service.cli(['jobs', 'list'], { env, screen: { columns: 120 } });
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/LEFT +JOURNAL( |$)/);
    const journals = rows.map((row) => row.split(/ {2,}/).at(8));
    expect(journals).toEqual([
      expect.stringMatching(/….*\.ndjson$/),
      expect.stringMatching(/….*\.ndjson$/),
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
  it('continues the newest journal that is incomplete', async () => {
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

  it('is an error if no journal of this service can be resumed', async () => {
    const { env } = await startWithJobs();
    const { service } = await startPendingOrders(1);
    const { exitCode, stderr } = await service.cli([...set, '--resume', 'latest'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`No journal of ${service.baseUrl} can be resumed`);
    expect(stderr).toContain('run `tradepost jobs list`.');
  });
});
