import type { DeliveryStats, WebhookStats } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { drawBars } from '../../../src/commands/webhooks/stats';
import { BareService } from '../../helpers/minimal-service';

const none = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 };
const nothing: DeliveryStats = { delivered: 0, failed: 0, attempts: none, latencyMs: null };
const some: DeliveryStats = {
  delivered: 2_999,
  failed: 1,
  attempts: { ...none, '2xx': 2_999, '5xx': 9, none: 2 },
  latencyMs: { mean: 64, p50: 41, p95: 1_230 },
};

function someStats(totals: DeliveryStats): WebhookStats {
  return {
    webhookId: 'whk_1',
    since: '2026-11-21T11:01:00.000Z',
    until: '2026-11-21T12:01:00.000Z',
    bucketSeconds: 60,
    points: [
      { start: '2026-11-21T11:01:00.000Z', ...nothing },
      { start: '2026-11-21T11:02:00.000Z', ...totals },
    ],
    totals,
  };
}

/** Runs the command with a service that has these totals. */
async function run(totals: DeliveryStats, ...argv: string[]) {
  const service = await BareService.start();
  service.instead = () => ({ status: 200, body: { data: someStats(totals) } });
  return { service, ...(await service.cli(['webhooks', 'stats', 'whk_1', ...argv])) };
}

describe('webhooks stats', () => {
  it('shows totals with a bar for each point', async () => {
    const { stdout, service } = await run(some, '--window', '1h');
    expect(service.seen.map(({ path, query }) => [path, query])).toEqual([
      ['/v1/webhooks/whk_1/stats', { window: '1h' }],
    ]);
    expect(stdout.split('\n')).toEqual([
      'webhookId  whk_1',
      'since      2026-11-21T11:01:00.000Z',
      'until      2026-11-21T12:01:00.000Z',
      'delivered  ▁█ 2,999',
      'failed     ▁█ 1',
      'success    99.9 %',
      'attempts   2xx 2,999, 5xx 9, none 2',
      'latency    p50 41 ms, p95 1,230 ms, mean 64 ms',
      '',
    ]);
  });

  it('shows local times on a terminal', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: someStats(some) } });
    const { stdout } = await service.cli(['webhooks', 'stats', 'whk_1', '--time', 'local'], {
      screen: { columns: 100 },
      env: { TZ: 'UTC' },
    });
    expect(stdout).toMatch(/^since +2026-11-21 \d\d:01:00 [+-]\d\d:\d\d\nuntil +2026-11-21 /m);
  });

  it('shows that nothing happened', async () => {
    const { stdout } = await run(nothing);
    expect(stdout).toMatch(
      /^delivered +▁▁ 0\nfailed +▁▁ 0\nsuccess +-\nattempts +-\nlatency +-\n$/m,
    );
  });

  it('prints the response as JSON, and the points as CSV', async () => {
    const json = await run(some, '--output', 'json');
    expect(JSON.parse(json.stdout)).toEqual(someStats(some));
    const csv = await run(some, '--output', 'csv');
    expect(csv.stdout.trim().split(/\r?\n/)).toEqual([
      'start,delivered,failed,2xx,3xx,4xx,5xx,none,mean,p50,p95',
      '2026-11-21T11:01:00.000Z,0,0,0,0,0,0,0,,,',
      '2026-11-21T11:02:00.000Z,2999,1,2999,0,0,9,2,64,41,1230',
    ]);
    const fields = await run(some, '--output', 'csv', '--fields', 'start,p95');
    expect(fields.stdout).toContain('2026-11-21T11:02:00.000Z,1230');
  });

  it('rejects another window, and sends nothing', async () => {
    const { exitCode, stderr, service } = await run(some, '--window', '2h');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Allowed choices are 1h, 24h, 7d');
    expect(service.seen).toEqual([]);
  });
});

describe('bars', () => {
  it.each([
    [[0, 0], 9, '▁▁'],
    [[0, 1, 1_000], 9, '▁▂█'],
    [[1, 1, 2, 2, 0, 4], 3, '▅██'],
    [[3, 1, 1], 2, '█▃'],
    [[1, 2], 0, '█'],
  ])('of %j in %d cells are %s', (numbers, most, bars) => {
    expect(drawBars(numbers, most)).toBe(bars);
  });
});
