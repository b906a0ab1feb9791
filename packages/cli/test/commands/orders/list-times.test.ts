import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { BareService } from '../../helpers/minimal-service';

const now = Date.parse('2026-11-22T12:00:00.000Z');
const placedAt = (createdAt: string) => anOrder({ id: `ord_${createdAt}`, createdAt });
const placed = [
  '2026-11-22T11:59:59.999Z',
  '2026-11-21T12:00:00.001Z',
  '2026-11-21T12:00:00.000Z',
  '2026-11-21T11:59:59.999Z',
  '2026-11-20T00:00:00.000Z',
  '2026-11-19T23:59:59.999Z',
];

async function list(service: BareService, ...options: string[]) {
  const argv = ['orders', 'list', '--output', 'csv', '--fields', 'createdAt', ...options];
  const { exitCode, stdout, stderr } = await service.cli(argv, { now: () => now });
  expect({ options, exitCode }).toEqual({ options, exitCode: 0 });
  return { times: stdout.trimEnd().split('\n').slice(1), stderr };
}

async function aBareService(): Promise<BareService> {
  const service = await BareService.start();
  service.orders = placed.map(placedAt);
  return service;
}

describe('orders list --since and --until', () => {
  it.each([
    [['--since', '1d'], placed.slice(0, 3)],
    [['--since', '2026-11-21T12:00:00.001Z'], placed.slice(0, 2)],
    [['--since', '2026-11-21T13:00:00+01:00'], placed.slice(0, 3)],
    [['--since', '2026-11-20'], placed.slice(0, 5)],
    [['--until', '1d'], placed.slice(3)],
    [['--until', '2026-11-20'], placed.slice(4)],
    [['--since', '2026-11-20', '--until', '2026-11-20'], placed.slice(4, 5)],
    [['--since', 'yesterday', '--until', 'saturday'], placed.slice(1, 4)],
    [['--until', '0s'], placed],
    [['--since', '2026-11-20', '--until', '2026-11-21T00:00'], placed.slice(4, 5)],
  ])(
    '%j selects from its time on and up to its time, on a service without these filters',
    async (options, times) => {
      expect((await list(await aBareService(), ...options)).times).toEqual(times);
    },
  );

  it('reads local days and times, or those of UTC with --utc, wherever that is', async () => {
    const service = await aBareService();
    service.extensions = ['orders.filters', 'paging'];
    const env = { TZ: 'America/New_York' };
    const argv = ['orders', 'list', '--since', '2026-11-20', '--until', '2026-11-20T13:00'];
    for (const more of [[], ['--utc']]) {
      await service.cli([...argv, ...more], { now: () => now, env });
    }
    await service.cli(['--utc', ...argv], { now: () => now, env });
    const bounds = (query: Record<string, string>) => [query.createdAfter, query.createdBefore];
    expect(service.seen.map(({ query }) => bounds(query))).toEqual([
      ['2026-11-20T04:59:59.999Z', '2026-11-20T18:00:00.000Z'],
      ['2026-11-19T23:59:59.999Z', '2026-11-20T13:00:00.000Z'],
      ['2026-11-19T23:59:59.999Z', '2026-11-20T13:00:00.000Z'],
    ]);
  });

  it.each([
    ['1h', '2d'],
    ['1d', '1d'],
    ['2026-11-20T09:00', '2026-11-20T09:00'],
  ])('rejects a time range without any time, from %s until %s', async (since, until) => {
    const service = await aBareService();
    const argv = ['orders', 'list', '--since', since, '--until', until];
    const { exitCode, stdout, stderr } = await service.cli(argv, { now: () => now });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/--since \(\S+Z\) is not before --until \(\S+Z\)\nhint: /);
    expect(service.seen).toEqual([]);
  });

  it('sends the time range to the service, so that it returns no more', async () => {
    const service = await aBareService();
    service.extensions = ['orders.filters', 'paging'];
    await list(service, '--since', '1d', '--until', '6h');
    await list(service, '--until', '2026-11-20', '--status', 'pending');
    await list(service);
    expect(service.seen.map(({ query }) => query)).toEqual([
      {
        limit: '50',
        // What the service calls `after` excludes its own timestamp.
        createdAfter: '2026-11-21T11:59:59.999Z',
        createdBefore: '2026-11-22T06:00:00.000Z',
      },
      { limit: '50', status: 'pending', createdBefore: '2026-11-21T00:00:00.000Z' },
      { limit: '50' },
    ]);
  });

  it('shows up to the limit of the matching orders', async () => {
    const service = await aBareService();
    const cut = await list(service, '--until', '1d', '--limit', '2');
    expect(cut.times).toEqual(placed.slice(3, 5));
    expect(cut.stderr).toBe('Showing 2 orders; more exist. Use --all, or a larger --limit.\n');
    const whole = await list(service, '--until', '1d', '--limit', '3');
    expect(whole).toEqual({ times: placed.slice(3), stderr: '' });
  });

  it('splits the orders at any timestamp, each on exactly one side', async () => {
    const service = await BareService.start();
    const time = fc
      .integer({ min: -3, max: 3 })
      .map((offset) => new Date(now + offset).toISOString());
    await fc.assert(
      fc.asyncProperty(fc.array(time, { maxLength: 8 }), time, async (times, divide) => {
        service.orders = times.map(placedAt);
        const before = (await list(service, '--until', divide)).times;
        const after = (await list(service, '--since', divide)).times;
        expect([...before, ...after].sort()).toEqual([...times].sort());
        expect(before.filter((one) => one >= divide)).toEqual([]);
        expect(after.filter((one) => one < divide)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['--since', '2026-02-30', '2026-02-30 is not a valid date'],
    ['--since', 'last week', 'Use an age such as 45s'],
    ['--until', 'tomorrow', 'Use an age such as 45s'],
    ['--until', '999999999w', 'Use a time in the years 1 to 9999.'],
  ])('%s %s is rejected before anything is sent', async (option, value, message) => {
    const service = await BareService.start();
    const { exitCode, stdout, stderr } = await service.cli(['orders', 'list', option, value]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(
      `Option '${option} <time>' argument '${value}' is invalid. ${message}`,
    );
    expect(service.seen).toEqual([]);
  });
});
