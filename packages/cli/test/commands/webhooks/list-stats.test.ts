import type { DeliveryStats } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { BareService } from '../../helpers/minimal-service';
import { aWebhook } from '../../helpers/webhook-builders';

const attempts = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 };
const busy: DeliveryStats = {
  delivered: 2_999,
  failed: 1,
  attempts: { ...attempts, '2xx': 2_999, '5xx': 9 },
  latencyMs: { mean: 64, p50: 41, p95: 1_230 },
};
const idle: DeliveryStats = { delivered: 0, failed: 0, attempts, latencyMs: null };

/** A service with two webhooks, each on a page of its own. */
async function aService(): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['paging', 'webhooks.manage', 'webhooks.stats'];
  service.instead = ({ query: { expand, cursor } }) => {
    const [id, stats] = cursor === undefined ? ['whk_2', busy] : ['whk_1', idle];
    const webhook = { ...aWebhook({ id }), ...(expand === 'stats' && { stats }) };
    return {
      status: 200,
      body: { data: [webhook], nextCursor: cursor === undefined ? 'next' : null },
    };
  };
  return service;
}

const queries = (service: BareService) => service.seen.map(({ query }) => query);

describe('webhooks list --stats', () => {
  it('shows how deliveries fared, on every page', async () => {
    const service = await aService();
    const { stdout, exitCode } = await service.cli(['webhooks', 'list', '--stats']);
    expect(exitCode).toBe(0);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 7));
    expect(rows).toEqual([
      ['ID', 'STATUS', 'DELIVERED', 'FAILED', 'SUCCESS', 'P95', 'PENDING'],
      ['whk_2', 'active', '2,999', '1', '99.9 %', '1,230 ms', '0'],
      ['whk_1', 'active', '0', '0', '-', '-', '0'],
      [''],
    ]);
    expect(queries(service)).toEqual([
      { expand: 'stats', limit: '50' },
      { expand: 'stats', limit: '50', cursor: 'next' },
    ]);
  });

  it('adds the same fields to JSON and CSV', async () => {
    const service = await aService();
    const json = await service.cli(['webhooks', 'list', '--stats', '--json']);
    expect(JSON.parse(json.stdout)).toEqual([
      { ...aWebhook({ id: 'whk_2' }), delivered: 2_999, failed: 1, successRate: 0.999, p95: 1_230 },
      { ...aWebhook({ id: 'whk_1' }), delivered: 0, failed: 0, successRate: null, p95: null },
    ]);
    const csv = await service.cli(['webhooks', 'list', '--stats', '--output', 'csv']);
    expect(csv.stdout.split('\n').map((line) => line.split(',').slice(-5).join())).toEqual([
      'disabledAt,delivered,failed,successRate,p95',
      ',2999,1,0.999,1230',
      ',0,0,,',
      '',
    ]);
  });

  it('is not needed where --fields has one of its fields', async () => {
    const service = await aService();
    const argv = ['webhooks', 'list', '--output', 'csv', '--fields', 'id, successRate'];
    const { stdout } = await service.cli(argv);
    expect(stdout.split('\n')).toEqual(['id,successRate', 'whk_2,0.999', 'whk_1,', '']);
  });

  it('requests no statistics, and has no field of them, without the option', async () => {
    const service = await aService();
    const { stdout } = await service.cli(['webhooks', 'list', '--output', 'csv']);
    expect(stdout).toMatch(/,disabledAt\n/);
    expect(queries(service)).toEqual([{ limit: '50' }, { limit: '50', cursor: 'next' }]);
  });

  it.each([
    ['--stats', ['--stats']],
    ['p95 in --fields', ['--fields', 'id,p95']],
  ])('is an error where the service does not have the extension: %s', async (option, argv) => {
    for (const isStrict of [false, true]) {
      const service = await aService();
      const { instead } = service;
      service.extensions = ['paging', 'webhooks.manage'];
      service.instead = (request) =>
        isStrict && 'expand' in request.query ? { status: 400, body: '' } : instead(request);
      expect(await service.cli(['webhooks', 'list', ...argv])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `error: ${option} needs the extension webhooks.stats of the API, which this service does not have\nhint: Omit ${option}.\n`,
      });
    }
  });

  it('reports a service whose statistics are no statistics', async () => {
    const service = await aService();
    service.instead = () => ({
      status: 200,
      body: { data: [{ ...aWebhook(), stats: null }], nextCursor: null },
    });
    const { exitCode, stderr } = await service.cli(['webhooks', 'list', '--stats']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toContain('TypeError');
  });
});
