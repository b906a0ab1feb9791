import type { Delivery, Extension, ReplayDeliveriesParams, WebhookDetails } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { BareService, type SeenRequest } from '../../helpers/minimal-service';
import { aDelivery, aDeliveryRecord, aWebhook } from '../../helpers/webhook-builders';

const now = () => Date.parse('2026-11-21T12:00:00Z');
const { id } = aWebhook();
const until = '2026-11-21T12:05:00.000Z';
const inBackoff = {
  pendingDeliveries: 205,
  consecutiveFailures: 9,
  backoffUntil: until,
  lastStatus: 401,
  failingSince: '2026-11-21T09:00:00.000Z',
};
const described = `205 pending, endpoint backs off until ${until}, last response 401 for 3 hr`;

/** A service with webhooks and deliveries, which replays many at a time. */
class DeliveringService {
  webhooks: WebhookDetails[] = [];
  deliveries: Delivery[] = [];
  /** What became of a delivery that was replayed. */
  after: (delivery: Delivery) => Partial<Delivery> = () => ({ state: 'pending' });
  readonly bare: BareService;

  private constructor(bare: BareService) {
    this.bare = bare;
    bare.extensions = ['deliveries', 'deliveries.replays', 'webhooks.manage'] as Extension[];
    bare.instead = (request) => ({ ...this.#respond(request) });
  }

  static async start(webhook: Partial<WebhookDetails> = {}): Promise<DeliveringService> {
    const service = new DeliveringService(await BareService.start());
    service.webhooks = [aWebhook(webhook)];
    return service;
  }

  /** Runs a command whose waits are over at once. */
  run(...argv: string[]) {
    let time = now();
    const wait = async (milliseconds: number) => {
      time += milliseconds;
    };
    return this.bare.cli(['webhooks', ...argv], { now: () => time, wait });
  }

  /** The bodies of the requests that replayed deliveries. */
  get replays() {
    return this.bare.seen.flatMap(({ method, path, body, headers }) =>
      method === 'POST' ? { path, body, key: headers['idempotency-key'] } : [],
    );
  }

  #respond({ method, path, query, body }: SeenRequest) {
    const [, , noun, one] = path.split('/');
    const data = noun === 'webhooks' ? this.webhooks : this.deliveries;
    if (method === 'POST') return { status: 202, body: { data: this.#replay(body) } };
    if (method === 'PATCH') return { status: 200, body: { data: this.webhooks[0] } };
    if (one === undefined) {
      const found = data.filter((item) => !('state' in item) || item.state === query.state);
      return { status: 200, body: { data: found, nextCursor: null } };
    }
    const webhook = this.webhooks.find((item) => item.id === one);
    const found = noun === 'webhooks' ? webhook : { ...aDeliveryRecord(data[0] as Delivery) };
    return { status: 200, body: { data: found } };
  }

  #replay(body: unknown) {
    const { state, limit = 100, cursor = '0' } = body as ReplayDeliveriesParams;
    const start = Number(cursor);
    const matching = this.deliveries.filter((one) => one.state === state || start > 0);
    const chosen = matching.slice(start, start + limit);
    for (const one of chosen) Object.assign(one, this.after(one));
    const end = start + chosen.length;
    const nextCursor = end < matching.length ? String(end) : null;
    return { replayed: chosen.length, skipped: 0, nextCursor };
  }
}

const many = (count: number, fields: Partial<Delivery>) =>
  Array.from({ length: count }, (_, index) => aDelivery({ id: `dlv_${index}`, ...fields }));
/** No list has it. */
const deleted = { state: 'deleted' } as unknown as Partial<Delivery>;
const pending = { state: 'pending', attemptCount: 0, lastStatus: null, finishedAt: null } as const;

describe('an endpoint in backoff', () => {
  it('is shown as such in the list, with how its last attempt ended', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.webhooks.push(
      aWebhook({ id: 'whk_2', consecutiveFailures: 1, lastError: 'timeout', lastStatus: null }),
      aWebhook({ id: 'whk_3', lastStatus: 204 }),
      aWebhook({ id: 'whk_4', status: 'paused', ...inBackoff }),
      aWebhook({ id: 'whk_5' }),
      aWebhook({ id: 'whk_6', status: 'paused', disabledAt: until, lastStatus: 410 }),
    );
    const { stdout } = await service.run('list');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1, 4))).toEqual([
      ['STATUS', 'PENDING', 'LAST'],
      [`backoff until ${until}`, '205', '401 for 3 hr'],
      ['failing', '0', 'timeout'],
      ['healthy', '0', '204'],
      ['paused', '205', '401 for 3 hr'],
      ['active', '0', '-'],
      ['disabled', '0', '410'],
      [],
    ]);
  });

  it.each([
    [60, ['STATUS', 'PENDING', 'URL'], ['backoff', '205']],
    [120, ['STATUS', 'PENDING', 'LAST', 'URL'], ['backoff until 12:05', '205', '401 for 3 hr']],
  ])('fits on a terminal of %i columns', async (columns, titles, texts) => {
    const service = await DeliveringService.start(inBackoff);
    const screen = { columns };
    const env = { TZ: 'UTC', NO_COLOR: '1' };
    const argv = ['webhooks', 'list', '--no-pager'];
    const { stdout } = await service.bare.cli(argv, { now, screen, env });
    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines[0]?.slice(1, titles.length + 1)).toEqual(titles);
    expect(lines[1]?.slice(1, texts.length + 1)).toEqual(texts);
  });

  it('is described as far as a service tells', async () => {
    const service = await DeliveringService.start();
    const { lastStatus: _, lastError: __, failingSince: ___, ...older } = aWebhook(inBackoff);
    service.webhooks = [older as WebhookDetails];
    expect((await service.run('list')).stdout).toContain(`backoff until ${until}      205  -  `);
    const { stdout } = await service.run('explain', id, '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'backoff',
      reason: `205 pending, endpoint backs off until ${until}.`,
    });
  });

  it('is explained with the reason and what to do', async () => {
    const service = await DeliveringService.start(inBackoff);
    const { exitCode, stdout, stderr } = await service.run('explain', id, '--output', 'json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const explanation = JSON.parse(stdout);
    expect(explanation).toEqual({
      webhook: service.webhooks[0],
      verdict: 'backoff',
      reason: `${described}. The last attempt failed: the receiver returned 401: it, or a proxy in front of it, requires authentication.`,
      hints: [
        'Accept deliveries without a login: the signature authenticates them.',
        'If the receiver rejected the signature, find out why: `tradepost webhooks verify`.',
        `Then send all that is pending now: \`tradepost webhooks retry ${id}\`.`,
      ],
    });
    const text = await service.run('explain', id);
    expect(text.stdout).toContain(`${id}  ${aWebhook().url}: backoff\n${explanation.reason}\n`);
    expect(text.stdout).toContain('WHAT TO DO\n1. Accept deliveries');
    const wrong = await service.run('explain', id, '--secret-file', 'x');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it.each([
    [{ lastStatus: 204 }, 'healthy', 'Endpoint is healthy, last response 204.', []],
    [{ status: 'paused' }, 'paused', 'Webhook is paused.', ['webhooks resume']],
    [{}, 'active', 'Endpoint is active.', []],
  ] as const)('that is not, %j, is explained too', async (webhook, verdict, reason, commands) => {
    const service = await DeliveringService.start(webhook);
    const { stdout } = await service.run('explain', id, '--output', 'json');
    const explained = JSON.parse(stdout);
    expect(explained).toMatchObject({ verdict, reason });
    expect(explained.hints).toHaveLength(commands.length);
    for (const [index, command] of commands.entries())
      expect(explained.hints[index]).toContain(command);
  });

  it('is why a delivery without attempts waits', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(1, { ...pending, nextAttemptAt: until });
    const { stdout } = await service.run('explain', 'dlv_0', '--output', 'json');
    const { verdict, reason, hints } = JSON.parse(stdout);
    expect(verdict).toBe('backoff');
    expect(reason).toContain(
      `${described}. The last attempt of another delivery failed: the receiver returned 401`,
    );
    expect(hints[0]).toContain('Accept deliveries without a login');
    expect(hints.at(-1)).toContain(`tradepost webhooks retry ${id}`);
  });

  it.each([
    [['deliveries', '--state', 'failed'], 'No deliveries found.'],
    [['replay', '--failed'], 'No failed deliveries found.'],
  ])('is why %j finds nothing', async (argv, said) => {
    const service = await DeliveringService.start(inBackoff);
    service.webhooks.push(aWebhook({ id: 'whk_2' }));
    service.deliveries = many(3, pending);
    const hint = `${id}: ${described}. See \`tradepost webhooks explain ${id}\`.\n`;
    const result = await service.run(...argv);
    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: `${said}\n${hint}` });
    const other = await service.run(...argv, '--webhook', 'whk_2');
    expect(other.stderr).toBe(`${said}\n`);
  });

  it('is not the only reason why failed deliveries are not found: a webhook may be paused', async () => {
    const service = await DeliveringService.start({ status: 'paused', pendingDeliveries: 3 });
    for (const argv of [
      ['deliveries', '--state', 'failed'],
      ['replay', '--failed'],
    ]) {
      const { exitCode, stderr } = await service.run(...argv);
      expect(exitCode).toBe(0);
      expect(stderr).toContain(
        `${id} is paused: its deliveries wait. To send them, run \`tradepost webhooks resume ${id}\`.`,
      );
    }
  });

  it.each([
    [['get', id]],
    [['resume', id]],
    [['deliveries', '--state', 'failed']],
    [['replay', '--failed']],
  ])('is pointed out by %j with a time of this place', async (argv) => {
    const service = await DeliveringService.start(inBackoff);
    const setting = { now, screen: { columns: 100 }, env: { TZ: 'UTC', NO_COLOR: '1' } };
    const { stderr } = await service.bare.cli(['webhooks', ...argv, '--no-pager'], setting);
    expect(stderr).not.toContain(until);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(/backs off until \S+ 12:05:00 \S+ \(in 5 min\)/);
  });

  it('is not resumed, since it is not paused', async () => {
    const service = await DeliveringService.start(inBackoff);
    const { exitCode, stdout, stderr } = await service.run('resume', id, '--output', 'json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'active' });
    expect(stderr).toContain(`It was not paused: ${described}. Nothing changed.`);
    expect(stderr).toContain(`tradepost webhooks retry ${id}`);
    expect(service.bare.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  it('is pointed out below the webhook', async () => {
    const service = await DeliveringService.start(inBackoff);
    const { stdout, stderr } = await service.run('get', id);
    expect(stdout).toContain('failingSince         2026-11-21T09:00:00.000Z');
    expect(stderr).toBe(
      `${described}. For what to do, run \`tradepost webhooks explain ${id}\`.\n`,
    );
    expect((await service.run('get', id, '--output', 'json')).stderr).toBe('');
  });
});

describe('webhooks retry', () => {
  it('sends all that is pending, in portions, after a confirmation', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(205, pending);
    const asked = await service.run('retry', id);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(
      `Replay 205 pending deliveries to 1 webhook at ${service.bare.baseUrl}?`,
    );
    expect(service.replays).toEqual([]);
    const { exitCode, stdout, stderr } = await service.run('retry', id, '--yes', '-o', 'json');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Replayed 205 of 205 pending deliveries.\n',
    });
    expect(JSON.parse(stdout)).toEqual([
      { webhookId: id, found: 205, replayed: 205, skipped: 0, delivered: null, failed: null },
    ]);
    const filter = { state: 'pending', until: '2026-11-21T09:30:00.001Z' };
    expect(service.replays.map(({ path, body }) => [path, body])).toEqual([
      [`/v1/webhooks/${id}/replays`, { ...filter, limit: 100 }],
      [`/v1/webhooks/${id}/replays`, { ...filter, limit: 100, cursor: '100' }],
      [`/v1/webhooks/${id}/replays`, { ...filter, limit: 5, cursor: '200' }],
    ]);
    expect(new Set(service.replays.map(({ key }) => key)).size).toBe(3);
  });

  it('waits with --wait until each is delivered or has failed', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(3, pending);
    service.after = ({ id: one }) =>
      one === 'dlv_1'
        ? { state: 'failed', lastStatus: 500, attemptCount: 1 }
        : { state: 'delivered' };
    const { exitCode, stdout, stderr } = await service.run(
      'retry',
      id,
      '--yes',
      '--wait',
      '-o',
      'json',
    );
    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject([{ replayed: 3, delivered: 2, failed: 1 }]);
    const { message } = JSON.parse(stderr).error;
    expect(message).toContain('Replayed 3 of 3 pending deliveries: 2 delivered, 1 failed');
    service.deliveries = many(2, pending);
    service.after = () => ({ state: 'delivered' });
    expect(await service.run('retry', id, '--yes', '--wait')).toMatchObject({
      exitCode: 0,
      stderr: 'Replayed 2 of 2 pending deliveries: 2 delivered, 0 failed.\n',
    });
  });

  it('waits only for the webhook, among what was queued when those found were', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(2, pending);
    Object.assign(service.deliveries[0] ?? {}, { createdAt: '2026-11-21T09:45:00.000Z' });
    service.after = () => ({ state: 'delivered' });
    await service.run('retry', id, '--yes', '--wait');
    const found = { webhookId: id, since: aDelivery().createdAt };
    const [, ...polls] = service.bare.seen.filter(({ path }) => path === '/v1/deliveries');
    expect(polls.map(({ query }) => query)).toEqual(
      ['pending', 'failed', 'delivered'].map((state) => ({
        ...found,
        until: '2026-11-21T09:45:00.001Z',
        limit: '100',
        state,
      })),
    );
  });

  it('does not count a delivery that was deleted as delivered', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(2, pending);
    service.after = ({ id: one }) => ({ state: 'delivered', ...(one === 'dlv_1' && deleted) });
    const { exitCode, stdout, stderr } = await service.run(
      ...['retry', id, '--yes', '--wait', '--output', 'json'],
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ replayed: 2, delivered: 1, failed: 0 }]);
    expect(JSON.parse(stderr).error.message).toContain('1 delivered, 0 failed, 1 unknown');
  });

  it('says what is still pending when the time is over', async () => {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(2, pending);
    const { exitCode, stderr } = await service.run(
      ...['retry', id, '--yes', '--wait', '--timeout', '1s', '--output', 'json'],
    );
    expect(exitCode).toBe(1);
    const { message, hint } = JSON.parse(stderr).error;
    expect(message).toBe(
      'Replayed 2 of 2 pending deliveries: 0 delivered, 0 failed, 2 still pending after 1 s',
    );
    expect(hint).toContain(`tradepost webhooks explain ${id}`);
  });
});

describe('webhooks retry --wait', () => {
  /** Retries two deliveries, of which one arrives, and acts while it waits for the other. */
  async function waiting(act: () => void, options: Parameters<BareService['cli']>[1] = {}) {
    const service = await DeliveringService.start(inBackoff);
    service.deliveries = many(2, pending);
    service.after = ({ id: one }) => ({ state: one === 'dlv_1' ? 'pending' : 'delivered' });
    let time = now();
    const wait = async (milliseconds: number) => {
      time += milliseconds;
      act();
    };
    const argv = ['webhooks', 'retry', id, '--yes', '--wait', '--no-pager'];
    return await service.bare.cli(argv, { now: () => time, wait, ...options });
  }

  it('prints and counts what is known when it is interrupted', async () => {
    const interrupt = new AbortController();
    const { signal } = interrupt;
    const { exitCode, stdout, stderr } = await waiting(() => interrupt.abort(), { signal });
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/REPLAYED +SKIPPED +DELIVERED +FAILED\n\S+ +2 +2 +0 +1 +0\n$/);
    expect(stderr).toContain(
      'Interrupted. Replayed 2 of 2 pending deliveries: 1 delivered, 0 failed, 1 still pending\n',
    );
    expect(stderr).not.toContain('The same command continues');
  });

  it('shows how many are pending, and on a narrow terminal what became of them', async () => {
    const screen = { columns: 60 };
    const env = { TZ: 'UTC', NO_COLOR: '1' };
    const { stdout, stderr } = await waiting(() => {}, { screen, env });
    expect(stderr).toContain('1 of 2 pending');
    expect(stderr).not.toContain('no response');
    expect(stdout).toMatch(/^WEBHOOK +REPLAYED +DELIVERED +FAILED\n/);
  });
});

describe('webhooks replay --failed', () => {
  it('replays to each webhook what it has, and no more than --limit and --rate allow', async () => {
    const service = await DeliveringService.start();
    service.deliveries = [
      ...many(2, { webhookId: 'whk_1' }),
      ...many(3, { webhookId: 'whk_2' }).map((one) => ({ ...one, id: `${one.id}x` })),
    ];
    const argv = ['replay', '--failed', '--limit', '4', '--rate', '1000/s', '--yes', '-o', 'json'];
    const { exitCode, stdout } = await service.run(...argv, '--since', '2026-11-20');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { webhookId: 'whk_1', found: 2 },
      { webhookId: 'whk_2', found: 2 },
    ]);
    const filter = {
      state: 'failed',
      since: '2026-11-20T00:00:00.000Z',
      until: '2026-11-21T09:30:00.001Z',
    };
    expect(service.replays.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/webhooks/whk_1/replays', { ...filter, limit: 2 }],
      ['/v1/webhooks/whk_2/replays', { ...filter, limit: 2 }],
    ]);
  });
});
