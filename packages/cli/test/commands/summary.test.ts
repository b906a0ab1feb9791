import type { Summary } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { aProblem, BareService, type StubResponse } from '../helpers/minimal-service';
import { runCli } from '../helpers/run-cli';

const few = { count: 3, atLeast: false };
const summary: Summary = {
  asOf: '2026-11-21T09:30:00.000Z',
  orders: {
    pending: few,
    confirmed: { count: 0, atLeast: false },
    fulfilling: few,
    completed: { count: 1_000, atLeast: true },
    cancelled: few,
  },
  unread: { count: 12, atLeast: false },
  webhooks: { active: 2, paused: 1, disabled: 3, backoff: 1 },
};

async function start(
  respond: () => StubResponse | Promise<StubResponse> = () => ({
    status: 200,
    body: { data: summary },
  }),
): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ path }) => (path === '/v1/summary' ? respond() : undefined);
  return service;
}

const screen = { columns: 80 };

describe('summary', () => {
  it('prints a line for each number, and + for more than 1,000', async () => {
    const service = await start();
    const { stdout } = await service.cli(['summary']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['pending', '3'],
      ['confirmed', '0'],
      ['fulfilling', '3'],
      ['completed', '1000+'],
      ['cancelled', '3'],
      ['unread', '12'],
      ['webhooks', '2 active, 1 paused, 3 disabled, 1 in backoff'],
      ['asOf', '2026-11-21T09:30:00.000Z'],
      [''],
    ]);
    const json = await service.cli(['summary', '--output', 'json']);
    expect(JSON.parse(json.stdout)).toEqual(summary);
  });
});

describe('tradepost alone', () => {
  it('prints the summary on a terminal, and where the help is', async () => {
    const service = await start();
    const { exitCode, stdout, stderr } = await service.cli([], { screen });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^pending +3\n.*\ncompleted +1,000\+\n/s);
    expect(stdout).toMatch(/^asOf +2026-11-2\d \d\d:\d\d:\d\d/m);
    expect(stderr).toBe('\nAll commands: `tradepost --help`\n');
  });

  it('prints the help as before without a terminal, and sends nothing', async () => {
    const service = await start();
    const { exitCode, stdout, stderr } = await service.cli([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Use one of: orders');
    expect(service.seen).toEqual([]);
  });

  it('says which command prints it in a format', async () => {
    const service = await start();
    for (const argv of [['--json'], ['-o', 'json']]) {
      const { exitCode, stdout, stderr } = await service.cli(argv, { screen });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({
        error: { hint: expect.stringContaining('run `tradepost summary --output json') },
      });
    }
  });

  it('prints the help without a login, and with a service that has no summaries or is away', async () => {
    const help = async (result: ReturnType<typeof runCli>) => {
      const { exitCode, stdout, stderr } = await result;
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('Use one of: orders');
    };
    await help(runCli([], { screen }));
    const without = await start(() => aProblem(404, 'route_not_found'));
    await help(without.cli([], { screen }));
    await help(runCli([], { screen, env: { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' } }));
  });

  it('does not wait for a service that does not respond soon', async () => {
    let respond = (_: StubResponse) => {};
    const service = await start(() => new Promise((resolve) => (respond = resolve)));
    const waits: number[] = [];
    const { exitCode } = await service.cli([], {
      screen,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
      },
    });
    expect(exitCode).toBe(2);
    expect(waits).toEqual([2_000]);
    respond({ status: 200, body: { data: summary } });
  });
});
