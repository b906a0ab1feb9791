import { describe, expect, it } from 'vitest';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem, BareService, type SeenRequest } from '../../helpers/minimal-service';
import { aDelivery } from '../../helpers/webhook-builders';

const replay = ['webhooks', 'replay', '--rate', '1000/s'];

/** Responds to replays, except for IDs that are to fail. */
function replaying(failing: Record<string, ReturnType<typeof aProblem>> = {}) {
  return ({ method, path }: SeenRequest) => {
    const id = path.split('/')[3] ?? '';
    if (method !== 'POST') return undefined;
    return failing[id] ?? { status: 202, body: { data: aDelivery({ id, state: 'pending' }) } };
  };
}

function replayed(service: BareService): string[] {
  return service.seen.filter(({ method }) => method === 'POST').map(({ path }) => path);
}

describe('webhooks replay with IDs', () => {
  it('replays each once and prints its outcome', async () => {
    const service = await BareService.start();
    service.instead = replaying();
    const { exitCode, stdout, stderr } = await service.cli([
      ...[...replay, 'dlv_1', 'dlv_2', 'dlv_1', '--output', 'json'],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(
      ['dlv_1', 'dlv_2'].map((id) => ({
        id,
        outcome: 'replayed',
        state: 'pending',
        code: null,
        message: null,
        requestId: null,
      })),
    );
    expect(replayed(service)).toEqual([
      '/v1/deliveries/dlv_1/replay',
      '/v1/deliveries/dlv_2/replay',
    ]);
  });

  it('continues after a failure and exits 7', async () => {
    const service = await BareService.start();
    service.instead = replaying({ dlv_1: aProblem(409, 'delivery_in_progress') });
    const { exitCode, stdout, stderr } = await service.cli([
      ...[...replay, 'dlv_1', 'dlv_2', '--output', 'json'],
    ]);
    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'dlv_1', outcome: 'failed', code: 'delivery_in_progress', requestId: 'req_1' },
      { id: 'dlv_2', outcome: 'replayed' },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'partial_failure' });
  });

  it('stops at a failure that would affect all others, and lists those not attempted', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(401, 'invalid_api_key');
    const ids = Array.from({ length: 20 }, (_, index) => `dlv_${index}`);
    // At this rate the others would take minutes.
    const argv = ['webhooks', 'replay', '--rate', '1/m', ...ids, '--output', 'json'];
    const { exitCode, stdout } = await service.cli(argv);
    expect(exitCode).toBe(4);
    const outcomes = JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['failed', ...Array.from({ length: 19 }, () => 'not_attempted')]);
    expect(service.seen).toHaveLength(1);
  });

  it('reports a single failure as it is', async () => {
    const service = await BareService.start();
    service.instead = replaying({ dlv_1: aProblem(404, 'delivery_not_found') });
    const { exitCode, stderr } = await service.cli([...replay, 'dlv_1']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('hint: Check the delivery ID');
  });

  it('finishes what is in progress when it is interrupted, and starts no other', async () => {
    const service = await BareService.start();
    const interrupt = new AbortController();
    const reply = replaying();
    service.instead = (request) => {
      interrupt.abort();
      return reply(request);
    };
    const argv = ['webhooks', 'replay', '--rate', '1/m', 'dlv_1', 'dlv_2', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^Finishing requests in flight\. Press Ctrl-C again to quit now\.\n/);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'dlv_1', outcome: 'replayed' },
      { id: 'dlv_2', outcome: 'not_attempted' },
    ]);
  });

  it('reads each with --dry-run, and lists those that exist', async () => {
    const service = await BareService.start();
    service.instead = ({ path }) =>
      path.endsWith('dlv_2')
        ? aProblem(404, 'delivery_not_found')
        : { status: 200, body: { data: aDelivery({ id: 'dlv_1' }) } };
    const dryRun = [...replay, '--dry-run', '--output', 'json'];
    const one = await service.cli([...dryRun, 'dlv_1']);
    expect(one).toMatchObject({
      exitCode: 0,
      stderr: 'Would replay 1 delivery. Nothing changed.\n',
    });
    const both = await service.cli([...dryRun, 'dlv_1', 'dlv_2']);
    expect(both.exitCode).toBe(7);
    expect(JSON.parse(both.stdout)).toMatchObject([
      { id: 'dlv_1', outcome: 'would_replay', state: 'failed' },
      { id: 'dlv_2', outcome: 'failed', code: 'delivery_not_found' },
    ]);
    expect(replayed(service)).toEqual([]);
  });

  it('replays them all when the reader closes the pipe, and reports it', async () => {
    const service = await BareService.start();
    service.instead = replaying();
    const ids = Array.from({ length: 6 }, (_, index) => `dlv_${index}`);
    const stdout = brokenStream('EPIPE');
    const { exitCode, stderr } = await service.cli([...replay, ...ids], { stdout });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Replayed 6 of 6 deliveries; 0 failed. The output is incomplete');
    expect(replayed(service)).toHaveLength(6);

    service.instead = replaying({ dlv_3: aProblem(409, 'delivery_in_progress') });
    expect((await service.cli([...replay, ...ids], { stdout })).exitCode).toBe(7);
    expect(replayed(service)).toHaveLength(12);
  });

  it('replays them all when stdout cannot be written, and exits 1', async () => {
    const service = await BareService.start();
    service.instead = replaying();
    for (const setting of [{ stdout: brokenStream('ENOSPC') }, {}]) {
      const jq = 'stdout' in setting ? [] : ['--jq', '.id.x'];
      const argv = [...replay, 'dlv_1', 'dlv_2', 'dlv_3', ...jq, '--output', 'ndjson'];
      const { exitCode, stderr } = await service.cli(argv, setting);
      expect(exitCode).toBe(1);
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'output_failed',
        message: expect.stringContaining('Replayed 3 of 3 deliveries; 0 failed.'),
      });
    }
    expect(replayed(service)).toHaveLength(6);
  });

  it.each([
    [['dlv_1', '--failed']],
    [['dlv_1', '--since', '6h']],
    [['dlv_1', '--until', '6h']],
    [['--failed', '--since', '1h', '--until', '2h']],
    [['dlv_1', '--webhook', 'whk_1']],
    [['--since', '6h']],
    [[]],
    [['ord_1']],
    [['dlv_1', '--rate', '0/s']],
    [['dlv_1', '--rate', '5']],
    [['dlv_1', '--fields', 'colour']],
  ])('rejects %j before anything is sent', async (argv) => {
    const service = await BareService.start();
    const result = await service.cli(['webhooks', 'replay', ...argv]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.seen).toEqual([]);
  });
});

describe('webhooks replay --failed', () => {
  const found = [
    aDelivery({ id: 'dlv_9', lastStatus: 503 }),
    aDelivery({ id: 'dlv_8', lastStatus: 404 }),
    aDelivery({ id: 'dlv_7', state: 'delivered', lastStatus: 503 }),
    aDelivery({ id: 'dlv_6', lastStatus: 500 }),
    aDelivery({ id: 'dlv_5', lastStatus: 500, event: 'task.completed' }),
  ];
  const { webhookId } = aDelivery();

  /** A service that knows none of the filters, and replays one delivery at a time. */
  async function serviceWithFailures(
    failing: Parameters<typeof replaying>[0] = {},
  ): Promise<BareService> {
    const service = await BareService.start();
    const reply = replaying(failing);
    service.instead = (request) =>
      request.method === 'GET'
        ? { status: 200, body: { data: found, nextCursor: null } }
        : reply(request);
    return service;
  }

  const counts = { delivered: null, failed: null, skipped: 0 };

  it('replays those that match all filters, oldest first, and counts them', async () => {
    const service = await serviceWithFailures();
    const filter = [
      ...['--failed', '--status-class', '5xx', '--event', 'order.created'],
      ...['--since', '2026-11-01', '--until', '2026-11-30'],
    ];
    const argv = [...replay, ...filter, '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ webhookId, found: 2, replayed: 2, ...counts }]);
    expect(stderr).toBe('Replayed 2 of 2 failed deliveries.\n');
    expect(replayed(service)).toEqual([
      '/v1/deliveries/dlv_6/replay',
      '/v1/deliveries/dlv_9/replay',
    ]);
    expect(service.seen.find(({ path }) => path === '/v1/deliveries')?.query).toEqual({
      state: 'failed',
      statusClass: '5xx',
      event: 'order.created',
      since: '2026-11-01T00:00:00.000Z',
      until: '2026-12-01T00:00:00.000Z',
      limit: '100',
    });
  });

  it('replays only the newest with --limit', async () => {
    const service = await serviceWithFailures();
    await service.cli([...replay, '--failed', '--limit', '2', '--yes']);
    expect(replayed(service)).toEqual([
      '/v1/deliveries/dlv_8/replay',
      '/v1/deliveries/dlv_9/replay',
    ]);
  });

  it('only counts them with --dry-run', async () => {
    const service = await serviceWithFailures();
    const argv = [...replay, '--failed', '--status-class', '5xx', '--dry-run', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ webhookId, found: 3, replayed: 0, ...counts }]);
    expect(stderr).toBe('Would replay 3 failed deliveries. Nothing changed.\n');
    expect(replayed(service)).toEqual([]);
  });

  it('says how many match and to which service before several, and does not ask before one', async () => {
    const service = await serviceWithFailures();
    const rejected = await service.cli([...replay, '--failed']);
    expect(rejected.exitCode).toBe(2);
    expect(rejected.stderr).toContain(
      `Replay 4 failed deliveries to 1 webhook at ${service.baseUrl}?`,
    );
    expect(replayed(service)).toEqual([]);
    expect((await service.cli([...replay, '--failed', '--status-class', '4xx'])).exitCode).toBe(0);
    expect(replayed(service)).toEqual(['/v1/deliveries/dlv_8/replay']);
  });

  it('skips what is in flight or gone, and stops at what would fail for all others', async () => {
    const service = await serviceWithFailures({
      dlv_6: aProblem(409, 'delivery_in_progress'),
      dlv_8: aProblem(404, 'delivery_not_found'),
    });
    const argv = [...replay, '--failed', '--yes', '--output', 'json'];
    const { exitCode, stdout } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ found: 4, replayed: 2, skipped: 2 }]);
    const denied = await serviceWithFailures({ dlv_6: aProblem(403, 'read_only_api_key') });
    const stopped = await denied.cli(argv);
    expect(stopped.exitCode).toBe(7);
    expect(JSON.parse(stopped.stdout)).toMatchObject([{ found: 4, replayed: 1, skipped: 0 }]);
    expect(JSON.parse(stopped.stderr).error.message).toContain(
      'Replayed 1 of 4 failed deliveries; 3 not replayed',
    );
    expect(replayed(denied)).toHaveLength(2);
  });

  it('finishes what is in progress when it is interrupted, and says how to go on', async () => {
    const service = await serviceWithFailures();
    const { instead } = service;
    const interrupt = new AbortController();
    service.instead = (request) => {
      if (request.method === 'POST') interrupt.abort();
      return instead(request);
    };
    const argv = [...replay, '--failed', '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject([{ found: 4, replayed: 1 }]);
    expect(stderr).toContain('Finishing requests in flight. Press Ctrl-C again to quit now.');
    expect(stderr).toContain('Interrupted. Replayed 1 of 4 failed deliveries; 3 not replayed');
    expect(stderr.match(/The same command continues with those that are left/g)).toHaveLength(2);
  });

  it('reports that nothing matches', async () => {
    const service = await serviceWithFailures();
    const argv = [...replay, '--failed', '--status-class', '3xx', '--output', 'json'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: 'No failed deliveries found.\n',
    });
  });
});
