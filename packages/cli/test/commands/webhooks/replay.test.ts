import type { Delivery, DeliveryState } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem, BareService, type SeenRequest } from '../../helpers/minimal-service';
import { aDelivery, aDeliveryRecord, aWebhook } from '../../helpers/webhook-builders';

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
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Replayed 2 of 2 deliveries.\n' });
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

  it('says that the webhook is paused', async () => {
    const service = await BareService.start();
    const { webhookId } = aDelivery();
    service.instead = ({ method }) =>
      method === 'POST'
        ? { status: 202, body: { data: aDelivery({ state: 'pending', nextAttemptAt: null }) } }
        : {
            status: 200,
            body: { data: [aWebhook({ id: webhookId, status: 'paused' })], nextCursor: null },
          };
    const { exitCode, stderr } = await service.cli([...replay, 'dlv_1']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`run \`tradepost webhooks resume ${webhookId}\``);
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
      stderr: 'Would replay 1 of 1 delivery. Nothing changed.\n',
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
    expect(stderr).toContain('Replayed 6 of 6 deliveries.');
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
        message: expect.stringContaining(
          'Replayed 3 of 3 deliveries, but the result could not be printed',
        ),
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
    [['--failed', '--timeout', '1m']],
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

describe('webhooks replay with IDs and --wait', () => {
  const wait = [...replay, '--wait', '--output', 'json'];

  /** Replays deliveries, each of which is read in these states, or as these responses, one after the other. */
  async function serviceWith(
    reads: Record<string, readonly (DeliveryState | ReturnType<typeof aProblem>)[]>,
  ) {
    const service = await BareService.start();
    const count = new Map<string, number>();
    const respond = replaying();
    service.instead = (request) => {
      const id = request.path.split('/')[3] ?? '';
      const number = count.get(id) ?? 0;
      const next = reads[id]?.[number];
      if (request.method === 'POST' || next === undefined) return respond(request);
      count.set(id, number + 1);
      const body = (state: DeliveryState) => ({ data: { ...aDeliveryRecord({ id, state }) } });
      return typeof next === 'string' ? { status: 200, body: body(next) } : next;
    };
    let time = 0;
    const run = (...argv: string[]) =>
      service.cli([...wait, ...argv, ...Object.keys(reads)], {
        now: () => time,
        async wait(milliseconds) {
          time += milliseconds;
        },
      });
    /** The IDs of the deliveries that were read. */
    const requests = () =>
      service.seen.flatMap(({ path }) => path.match(/^\/v1\/deliveries\/([^/]+)$/)?.[1] ?? []);
    return { service, run, requests };
  }

  it('reads only those that are still pending', async () => {
    const { run, requests } = await serviceWith({
      dlv_1: ['delivered'],
      dlv_2: ['pending', 'pending', 'delivered'],
    });
    const { exitCode, stderr } = await run();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Replayed 2 of 2 deliveries: 2 delivered, 0 failed.\n',
    });
    expect(requests()).toEqual(['dlv_1', 'dlv_2', 'dlv_2', 'dlv_2']);
  });

  it('does not count a delivery that was deleted as delivered', async () => {
    const { run } = await serviceWith({
      dlv_1: ['delivered'],
      dlv_2: ['pending', aProblem(404, 'delivery_not_found')],
    });
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr).error.message).toBe(
      'Replayed 2 of 2 deliveries: 1 delivered, 0 failed, 1 unknown',
    );
  });

  it('waits for a service that is away, and no longer than --reconnect-timeout', async () => {
    const away = Array.from({ length: 5 }, () => aProblem(503, 'unavailable'));
    const back = await serviceWith({ dlv_1: [...away, 'failed'] });
    const failed = await back.run();
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/Retrying for up to 5 minutes\.\nReconnected\.\n/);
    expect(failed.stderr).toContain('0 delivered, 1 failed');
    const gone = await serviceWith({ dlv_1: [...away, 'delivered'] });
    const lost = await gone.run('--reconnect-timeout', '2');
    expect(lost.stderr).toContain('Replayed 1 of 1 delivery. Waiting for them failed.');
    expect(JSON.parse(lost.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
      code: 'unavailable',
    });
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

  /** One millisecond after the newest of them was queued. */
  const until = '2026-11-21T09:30:00.001Z';

  /** Whether a delivery matches the filters of a list. */
  function matches(delivery: Delivery, query: Record<string, string>): boolean {
    const { state, event, statusClass } = query;
    return (
      (state ?? delivery.state) === delivery.state &&
      (event ?? delivery.event) === delivery.event &&
      (statusClass ?? '').startsWith(statusClass ? `${delivery.lastStatus}`.slice(0, 1) : '')
    );
  }

  /** A service with failed deliveries, and the bodies of the requests that replay deliveries. */
  async function serviceWithFailures(
    reply: (limit: number) => ReturnType<typeof aProblem> = (replayed) => ({
      status: 202,
      body: { data: { replayed, skipped: 0, nextCursor: 'c1' } },
    }),
    webhook: object = {},
  ) {
    const service = await BareService.start();
    const bodies: unknown[] = [];
    service.instead = ({ method, path, query, body }) => {
      if (method === 'POST') {
        bodies.push(body);
        return reply((body as { limit: number }).limit);
      }
      const one = { ...aWebhook({ id: webhookId }), ...webhook };
      if (path.startsWith('/v1/webhooks/')) return { status: 200, body: { data: one } };
      const data =
        path === '/v1/webhooks' ? [one] : found.filter((delivery) => matches(delivery, query));
      return { status: 200, body: { data, nextCursor: null } };
    };
    return { service, bodies };
  }

  const counts = { delivered: null, failed: null, skipped: 0 };

  it('replays those that match all filters, and counts them', async () => {
    const { service, bodies } = await serviceWithFailures();
    const filter = [
      ...['--failed', '--status-class', '5xx', '--event', 'order.created'],
      ...['--since', '2026-11-01', '--until', '2026-11-30'],
    ];
    const argv = [...replay, ...filter, '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ webhookId, found: 2, replayed: 2, ...counts }]);
    expect(stderr).toBe('Replayed 2 of 2 failed deliveries.\n');
    expect(replayed(service)).toEqual([`/v1/webhooks/${webhookId}/replays`]);
    const query = {
      state: 'failed',
      statusClass: '5xx',
      event: 'order.created',
      since: '2026-11-01T00:00:00.000Z',
      until: '2026-12-01T00:00:00.000Z',
    };
    expect(service.seen.find(({ path }) => path === '/v1/deliveries')?.query).toEqual({
      ...query,
      limit: '100',
    });
    expect(bodies).toEqual([{ ...query, until, limit: 2 }]);
  });

  it('replays only the newest with --limit, as many at a time as the rate allows', async () => {
    const { service, bodies } = await serviceWithFailures();
    const argv = ['webhooks', 'replay', '--failed', '--limit', '3', '--rate', '2/s', '--yes'];
    await service.cli(argv, { wait: async () => {} });
    expect(bodies).toEqual([
      { state: 'failed', until, limit: 2 },
      { state: 'failed', until, limit: 1, cursor: 'c1' },
    ]);
  });

  it('leaves out what failed after they were listed', async () => {
    const { service, bodies } = await serviceWithFailures();
    const { instead } = service;
    const [newest, oldest] = [
      aDelivery({ id: 'dlv_2', createdAt: '2026-11-21T09:30:05.250Z' }),
      aDelivery({ id: 'dlv_1', createdAt: '2026-11-21T09:30:01.000Z' }),
    ];
    service.instead = (request) =>
      request.path === '/v1/deliveries'
        ? { status: 200, body: { data: [newest, oldest], nextCursor: null } }
        : instead(request);
    const argv = [...replay, '--failed', '--since', '2026-11-21', '--until', '2026-11-30'];
    expect((await service.cli([...argv, '--yes'])).exitCode).toBe(0);
    expect(bodies).toMatchObject([{ until: '2026-11-21T09:30:05.251Z', limit: 2 }]);
  });

  it('only counts them with --dry-run', async () => {
    const { service } = await serviceWithFailures();
    const argv = [...replay, '--failed', '--status-class', '5xx', '--dry-run', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ webhookId, found: 3, replayed: 0, ...counts }]);
    expect(stderr).toBe('Would replay 3 failed deliveries. Nothing changed.\n');
    expect(replayed(service)).toEqual([]);
  });

  it('says how many match and to which service before several, and does not ask before one', async () => {
    const { service, bodies } = await serviceWithFailures();
    const rejected = await service.cli([...replay, '--failed']);
    expect(rejected.exitCode).toBe(2);
    expect(rejected.stderr).toContain(
      `Replay 4 failed deliveries to 1 webhook at ${service.baseUrl}?`,
    );
    expect(replayed(service)).toEqual([]);
    expect((await service.cli([...replay, '--failed', '--status-class', '4xx'])).exitCode).toBe(0);
    expect(bodies).toEqual([{ state: 'failed', statusClass: '4xx', until, limit: 1 }]);
  });

  it('counts what is in flight, and stops at what would fail for all others', async () => {
    const { service } = await serviceWithFailures((limit) => ({
      status: 202,
      body: { data: { replayed: limit - 2, skipped: 2, nextCursor: null } },
    }));
    const argv = [...replay, '--failed', '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ found: 4, replayed: 2, skipped: 2 }]);
    expect(stderr).toBe('Replayed 2 of 4 failed deliveries; 2 in flight.\n');
    const denied = await serviceWithFailures(() => aProblem(403, 'read_only_api_key'));
    const stopped = await denied.service.cli(argv);
    expect(stopped.exitCode).toBe(4);
    expect(JSON.parse(stopped.stdout)).toMatchObject([{ found: 4, replayed: 0, skipped: 0 }]);
    expect(JSON.parse(stopped.stderr).error.message).toContain(
      'Replayed 0 of 4 failed deliveries; 4 not replayed',
    );
    expect(denied.bodies).toHaveLength(1);
  });

  it('finishes what is in progress when it is interrupted, and says how to go on', async () => {
    const interrupt = new AbortController();
    const { service } = await serviceWithFailures((limit) => {
      interrupt.abort();
      return { status: 202, body: { data: { replayed: limit, skipped: 0, nextCursor: 'c1' } } };
    });
    const argv = ['webhooks', 'replay', '--rate', '1/s', '--failed', '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject([{ found: 4, replayed: 1 }]);
    expect(stderr).toContain('Finishing requests in flight. Press Ctrl-C again to quit now.');
    expect(stderr).toContain('Interrupted. Replayed 1 of 4 failed deliveries; 3 not replayed');
    expect(stderr.match(/The same command continues with those that are left/g)).toHaveLength(2);
  });

  it('reports that nothing matches', async () => {
    const { service } = await serviceWithFailures();
    const argv = [...replay, '--failed', '--status-class', '3xx', '--output', 'json'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: 'No failed deliveries found.\n',
    });
  });

  it('names the extension that the service does not have', async () => {
    const { service } = await serviceWithFailures(() => ({
      status: 404,
      body: undefined as never,
    }));
    const { exitCode, stderr } = await service.cli([...replay, '--failed', '--yes']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('needs the extension deliveries.replays of the API');
  });

  it.each([
    ['replay', '--failed', '--webhook', webhookId],
    ['retry', webhookId],
  ])('sends nothing to a webhook that is paused: %s %s', async (...argv) => {
    const { service, bodies } = await serviceWithFailures(undefined, { status: 'paused' });
    const { exitCode, stdout, stderr } = await service.cli(['webhooks', ...argv, '--yes']);
    expect({ exitCode, stdout, bodies }).toEqual({ exitCode: 6, stdout: '', bodies: [] });
    expect(stderr).toContain(`${webhookId} is paused: nothing would be sent\n`);
    expect(stderr).toContain(`run \`tradepost webhooks resume ${webhookId}\``);
  });

  it('says that the webhook is disabled, and to fix its receiver first', async () => {
    const disabled = { status: 'paused', disabledAt: '2026-11-21T12:00:00.000Z' } as const;
    const { service, bodies } = await serviceWithFailures(undefined, disabled);
    const { exitCode, stderr } = await service.cli(['webhooks', 'retry', webhookId, '--yes']);
    expect({ exitCode, bodies }).toEqual({ exitCode: 6, bodies: [] });
    expect(stderr).toContain(`${webhookId} is disabled: nothing would be sent\n`);
    expect(stderr).toContain('fix the receiver first. To resume it, which sends what waits, run');
  });

  it('says which webhook is paused if none was named', async () => {
    const { service, bodies } = await serviceWithFailures(undefined, { status: 'paused' });
    const { exitCode, stderr } = await service.cli([...replay, '--failed', '--yes']);
    expect({ exitCode, requests: bodies.length }).toEqual({ exitCode: 0, requests: 1 });
    expect(stderr).toContain(`${webhookId} is paused: its deliveries wait. To send them, run`);
  });

  it.each([
    ['replay', '--failed', '--webhook', 'whk_2'],
    ['retry', 'whk_2'],
  ])('exits 5 for a webhook that does not exist: %s %s', async (...argv) => {
    const { service } = await serviceWithFailures();
    const { instead } = service;
    service.instead = (request) =>
      request.path.endsWith('/whk_2') ? aProblem(404, 'webhook_not_found') : instead(request);
    expect(await service.cli(['webhooks', ...argv])).toMatchObject({ exitCode: 5, stdout: '' });
  });
});
