import { describe, expect, it } from 'vitest';
import { aProblem, BareService, type StubResponse } from '../../helpers/minimal-service';
import { aDelivery, aDeliveryRecord, anAttempt, aWebhook } from '../../helpers/webhook-builders';

const first = aWebhook({ id: 'whk_1', url: 'https://one.example/hook' });
const second = aWebhook({ id: 'whk_2', url: 'https://two.example/hook' });
const paused = aWebhook({ id: 'whk_3', url: 'https://three.example/hook', status: 'paused' });
const other = aWebhook({ id: 'whk_4', events: ['task.completed'] });

const delivered = { state: 'delivered', lastStatus: 204, attemptCount: 1 } as const;
const rejected = { state: 'failed', lastStatus: 401, attemptCount: 1 } as const;
const pending = { state: 'pending', lastStatus: null, attemptCount: 0 } as const;

/** A service with webhooks. The delivery of a test event to `whk_1` is `dlv_1`, with these fields. */
async function serviceWith(
  webhooks: (typeof first)[],
  deliveries: Record<string, Parameters<typeof aDeliveryRecord>[0]> = {},
): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ method, path }): StubResponse | undefined => {
    const [, , noun, id = '', verb] = path.split('/');
    const found = webhooks.find((webhook) => webhook.id === id);
    if (noun === 'deliveries') {
      const fields = { id, test: true, attempts: [anAttempt({ durationMs: 12 })] };
      return { status: 200, body: { data: aDeliveryRecord({ ...fields, ...deliveries[id] }) } };
    }
    if (method === 'GET' && id === '') {
      return { status: 200, body: { data: webhooks, nextCursor: null } };
    }
    if (found === undefined) return aProblem(404, 'webhook_not_found');
    if (verb !== 'test') return { status: 200, body: { data: found } };
    const data = aDelivery({ ...pending, id: id.replace('whk', 'dlv'), webhookId: id });
    return { status: 202, body: { data } };
  };
  return service;
}

const argv = ['webhooks', 'trigger', 'order.created'];

/** The webhooks that got a test event, with the event. */
function listSent({ seen }: BareService) {
  return seen.flatMap(({ method, path, body }) =>
    method === 'POST' ? [[path, (body as { event: string }).event]] : [],
  );
}

describe('webhooks trigger', () => {
  it('sends the event to every webhook that subscribes to it, except paused ones', async () => {
    const service = await serviceWith([first, second, paused, other], {
      dlv_1: delivered,
      dlv_2: delivered,
    });
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'json']);
    expect(exitCode).toBe(0);
    const none = { code: null, message: null, requestId: null };
    const of = ({ id, url }: typeof first) => ({
      webhookId: id,
      url,
      outcome: 'delivered',
      status: 204,
      durationMs: 12,
      deliveryId: id.replace('whk', 'dlv'),
      ...none,
    });
    const outcomes: { webhookId: string }[] = JSON.parse(stdout);
    outcomes.sort((one, two) => (one.webhookId < two.webhookId ? -1 : 1));
    expect(outcomes).toEqual([
      of(first),
      of(second),
      {
        ...of(paused),
        outcome: 'paused',
        status: null,
        durationMs: null,
        deliveryId: null,
        message: 'It is paused.',
      },
    ]);
    expect(stderr).toBe('order.created: 2 delivered, 1 paused.\n');
    expect(listSent(service).sort()).toEqual([
      ['/v1/webhooks/whk_1/test', 'order.created'],
      ['/v1/webhooks/whk_2/test', 'order.created'],
    ]);
  });

  it('exits 1 if one was not delivered, and says why', async () => {
    const service = await serviceWith([first, second], { dlv_1: delivered, dlv_2: rejected });
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^WEBHOOK +OUTCOME +STATUS +MS +WHY +URL$/m);
    expect(stdout).toMatch(/^whk_1 +delivered +204 +12 +https:\/\/one\.example\/hook$/m);
    expect(stdout).toMatch(/^whk_2 +failed +401 +12 +the receiver returned 401: .*two\.example/m);
    expect(stderr).toBe(
      [
        'error: order.created: 1 delivered, 1 failed',
        'hint: For details, run `tradepost webhooks explain dlv_2`.',
        '',
      ].join('\n'),
    );
  });

  it('waits for the deliveries of all webhooks at the same time', async () => {
    const service = await serviceWith([first, second], { dlv_1: pending, dlv_2: delivered });
    const { instead } = service;
    const fields: { state: string }[] = [];
    service.instead = async (request) => {
      const response = await instead(request);
      if (request.path !== '/v1/deliveries/dlv_1') return response;
      // The first delivery ends only after the second webhook got its event.
      const isSent = listSent(service).length === 2;
      fields.push({ state: isSent ? 'delivered' : 'pending' });
      return isSent
        ? { status: 200, body: { data: aDeliveryRecord({ id: 'dlv_1', ...delivered }) } }
        : response;
    };
    expect((await service.cli(argv)).exitCode).toBe(0);
    expect(fields.at(-1)).toEqual({ state: 'delivered' });
  });

  it('stops waiting after its timeout', async () => {
    const service = await serviceWith([first], { dlv_1: pending });
    let now = 0;
    const { exitCode, stdout, stderr } = await service.cli(
      [...argv, '--timeout', '1s', '--output', 'json'],
      {
        now: () => {
          now += 600;
          return now;
        },
      },
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { outcome: 'pending', deliveryId: 'dlv_1', message: 'no result after 1 s' },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'delivery_failed',
      message: 'order.created: 1 pending',
    });
  });

  it('continues after a webhook that the service rejects', async () => {
    const service = await serviceWith([first, second], { dlv_2: delivered });
    const { instead } = service;
    service.instead = (request) =>
      request.path === '/v1/webhooks/whk_1/test'
        ? aProblem(409, 'webhook_paused')
        : instead(request);
    const { exitCode, stdout } = await service.cli([...argv, '--output', 'json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { webhookId: 'whk_1', outcome: 'failed', code: 'webhook_paused', requestId: 'req_1' },
      { webhookId: 'whk_2', outcome: 'delivered' },
    ]);
  });

  it('stops at a failure that would affect all, with its own exit code', async () => {
    const service = await serviceWith([first, second]);
    const { instead } = service;
    service.instead = (request) =>
      request.method === 'POST' ? aProblem(403, 'read_only_api_key') : instead(request);
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--jq', 'map(.outcome)']);
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toEqual(['failed', 'not_attempted']);
    expect(JSON.parse(stderr).error.hint).toContain('This key is read-only.');
    expect(listSent(service)).toHaveLength(1);
  });

  it('ends at Ctrl-C, and names the delivery that it did not wait for', async () => {
    const service = await serviceWith([first], { dlv_1: pending });
    const interrupt = new AbortController();
    const { instead } = service;
    service.instead = (request) => {
      if (request.path.startsWith('/v1/deliveries/')) interrupt.abort();
      return instead(request);
    };
    const setting = { signal: interrupt.signal };
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'json'], setting);
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'pending', deliveryId: 'dlv_1' }]);
    expect(JSON.parse(stderr).error.message).toBe('Interrupted. order.created: 1 pending');
  });

  it.each([
    [[other], 'No webhook subscribes to order.created: nothing was sent', 'webhooks list'],
    [[], 'No webhook subscribes to order.created: nothing was sent', 'webhooks list'],
    [
      [paused],
      'Every webhook that subscribes to order.created is paused: nothing was sent',
      'webhooks resume whk_3',
    ],
  ])('exits 1 if there is none to send to: %#', async (webhooks, message, hint) => {
    const service = await serviceWith(webhooks);
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(`tradepost ${hint}\``);
    expect(listSent(service)).toEqual([]);
  });

  it('ignores webhooks without event types', async () => {
    const { events: _, ...partial } = first;
    const service = await serviceWith([partial as typeof first, second], { dlv_2: delivered });
    expect((await service.cli(argv)).exitCode).toBe(0);
    expect(listSent(service)).toEqual([['/v1/webhooks/whk_2/test', 'order.created']]);
  });
});

describe('webhooks trigger --webhook', () => {
  it('sends to the named webhooks only, each once', async () => {
    const service = await serviceWith([first, second], { dlv_2: delivered });
    const named = ['--webhook', 'whk_2', 'whk_2', '--webhook', 'whk_2'];
    expect((await service.cli([...argv, ...named])).exitCode).toBe(0);
    expect(listSent(service)).toEqual([['/v1/webhooks/whk_2/test', 'order.created']]);
  });

  it.each([
    ['whk_4', 2, 'whk_4 does not subscribe to order.created'],
    ['whk_9', 5, 'webhook_not_found'],
    ['ord_1', 2, 'IDs of this type begin with whk_.'],
  ])('sends nothing if one of them is %s', async (id, code, message) => {
    const service = await serviceWith([first, other], { dlv_1: delivered });
    const result = await service.cli([...argv, '--webhook', 'whk_1', id]);
    expect(result).toMatchObject({ exitCode: code, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(listSent(service)).toEqual([]);
  });
});

describe('the event type of webhooks trigger', () => {
  it('is checked before anything is sent, and completed', async () => {
    const service = await serviceWith([first]);
    for (const more of [[], ['order.create'], ['order.created', 'task.completed']]) {
      const { exitCode, stdout } = await service.cli(['webhooks', 'trigger', ...more]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    }
    expect(service.seen).toEqual([]);
    const { stdout } = await service.cli(['complete', '--', 'webhooks', 'trigger', 'order.']);
    expect(stdout).toBe('order.created\norder.status_changed\n:4\n');
  });
});
