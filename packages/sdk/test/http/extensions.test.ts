import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { NotFoundError, type TradepostError } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import {
  hang,
  json,
  problem,
  reset,
  type SeenRequest,
  type Step,
  scriptedService,
  text,
} from '../helpers/scripted-service';

async function createClient(...steps: Step[]) {
  const service = await scriptedService(...steps);
  return { service, ...createTestClient(service) };
}

const summarize = ({ method, url, body }: SeenRequest) => [method, url, body];

const webhook = {
  id: 'whk_1',
  url: 'https://receiver.example/tradepost',
  events: ['order.created'],
  status: 'active',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  stagedSecretAt: null,
  pendingDeliveries: 0,
  consecutiveFailures: 0,
  backoffUntil: null,
  lastStatus: 204,
  lastError: null,
  failingSince: null,
};
const delivery = { id: 'dlv_1', webhookId: 'whk_1', event: 'order.created', state: 'pending' };
const account = { id: 'usr_1', kind: 'buyer', name: 'Shop', key: { id: 'key_1' } };

describe('the resource for webhooks', () => {
  test('lists, gets and updates webhooks', async () => {
    const { service, webhooks } = await createClient(
      json(200, { data: [webhook], nextCursor: 'c1' }),
      json(200, { data: [], nextCursor: null }),
      json(200, { data: webhook }),
    );
    expect(await webhooks.list({ limit: 1 }).toArray({ limit: 9 })).toEqual([webhook]);
    expect(await webhooks.get('whk_1')).toEqual(webhook);
    expect(await webhooks.update('whk_1', { status: 'paused' })).toEqual(webhook);
    expect(service.seen.map(summarize)).toEqual([
      ['GET', '/v1/webhooks?limit=1', ''],
      ['GET', '/v1/webhooks?limit=1&cursor=c1', ''],
      ['GET', '/v1/webhooks/whk_1', ''],
      ['PATCH', '/v1/webhooks/whk_1', '{"status":"paused"}'],
    ]);
  });

  test('gets statistics, of one webhook and with each of a list', async () => {
    const stats = { delivered: 1, failed: 0, attempts: {}, latencyMs: null };
    const window = { webhookId: 'whk_1', bucketSeconds: 60, points: [], totals: stats };
    const { service, webhooks } = await createClient(
      json(200, { data: window }),
      json(200, { data: window }),
      json(200, { data: [{ ...webhook, stats }], nextCursor: null }),
    );
    expect(await webhooks.stats('whk_1')).toEqual(window);
    expect(await webhooks.stats('whk_1', { window: '7d' })).toEqual(window);
    const { data } = await webhooks.list({ expand: ['stats'] });
    expect(data[0]?.stats.delivered).toBe(1);
    expect(service.seen.map(summarize)).toEqual([
      ['GET', '/v1/webhooks/whk_1/stats', ''],
      ['GET', '/v1/webhooks/whk_1/stats?window=7d', ''],
      ['GET', '/v1/webhooks?expand=stats', ''],
    ]);
  });

  test('stages and promotes a secret and sends a test event, each with an idempotency key', async () => {
    const staged = { webhookId: 'whk_1', secret: 'whsec_x', stagedAt: webhook.createdAt };
    const { service, webhooks } = await createClient(
      json(201, { data: staged }),
      json(200, { data: webhook }),
      json(202, { data: delivery }),
    );
    expect(await webhooks.stageSecret('whk_1')).toEqual(staged);
    expect(await webhooks.promoteSecret('whk_1')).toEqual(webhook);
    expect(await webhooks.test('whk_1', { event: 'order.created' })).toEqual(delivery);
    expect(service.seen.map(summarize)).toEqual([
      ['POST', '/v1/webhooks/whk_1/secret', ''],
      ['POST', '/v1/webhooks/whk_1/secret/promote', ''],
      ['POST', '/v1/webhooks/whk_1/test', '{"event":"order.created"}'],
    ]);
    const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});

test('webhooks.replayDeliveries sends filters with dates, and returns what was replayed', async () => {
  const result = { replayed: 2, skipped: 1, nextCursor: 'c1' };
  const { service, webhooks } = await createClient(json(202, { data: result }));
  const params = {
    state: 'pending',
    since: new Date('2026-11-21T09:30:00Z'),
    until: '2026-11-21T10:30:00+01:00',
    limit: 3,
  } as const;
  expect(await webhooks.replayDeliveries('whk_1', params)).toEqual(result);
  expect(service.seen.map(summarize)).toEqual([
    [
      'POST',
      '/v1/webhooks/whk_1/replays',
      '{"state":"pending","since":"2026-11-21T09:30:00.000Z","until":"2026-11-21T10:30:00+01:00","limit":3}',
    ],
  ]);
  expect(service.request(0).headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
});

describe('webhooks.replayAll', () => {
  const portion = (replayed: number, nextCursor: string | null, skipped = 0) =>
    json(202, { data: { replayed, skipped, nextCursor } });
  const filter = { state: 'failed', limit: 3 } as const;

  test('replays portions until none is left', async () => {
    const { service, webhooks } = await createClient(portion(2, 'c1', 1), portion(1, null));
    const replayed: number[] = [];
    for await (const one of webhooks.replayAll('whk_1', filter)) replayed.push(one.replayed);
    expect(replayed).toEqual([2, 1]);
    expect(service.seen.map(({ body }) => JSON.parse(body))).toEqual([
      filter,
      { ...filter, cursor: 'c1' },
    ]);
    const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  test('replays no more than were requested', async () => {
    const { service, webhooks } = await createClient(portion(3, 'c1'), portion(1, 'c2'));
    for await (const _ of webhooks.replayAll('whk_1', { ...filter, max: 4 }));
    expect(service.seen.map(({ body }) => JSON.parse(body).limit)).toEqual([3, 1]);
  });

  test('ends with an error if the service repeats a cursor, which would replay for ever', async () => {
    const { service, webhooks } = await createClient(portion(3, 'c1'));
    const replayed: number[] = [];
    const all = async () => {
      for await (const one of webhooks.replayAll('whk_1', filter)) replayed.push(one.replayed);
    };
    expect(await catchTradepostError(all())).toMatchObject({ code: 'contract_mismatch' });
    expect(replayed).toEqual([3, 3]);
    expect(service.seen).toHaveLength(2);
  });

  test('sends a request again that failed, with its key', async () => {
    const lost = problem(500, 'internal_error');
    const { service, webhooks } = await createClient(portion(3, 'c1'), lost, portion(1, null));
    const portions = webhooks.replayAll('whk_1', filter, { maxRetries: 0 });
    await portions.next();
    expect((await catchTradepostError(portions.next())).status).toBe(500);
    expect(await portions.next()).toMatchObject({ value: { replayed: 1 } });
    expect(await portions.next()).toEqual({ done: true, value: undefined });
    const [, failed, repeated] = service.seen;
    expect(repeated?.body).toBe(failed?.body);
    expect(repeated?.headers['idempotency-key']).toBe(failed?.headers['idempotency-key']);
  });
});

describe('deleting a webhook', () => {
  const gone = problem(404, 'webhook_not_found');
  const deleted = text(204, '');

  test('returns undefined', async () => {
    const { service, webhooks } = await createClient(deleted);
    expect(await webhooks.delete('whk_1')).toBeUndefined();
    expect(service.seen.map(summarize)).toEqual([['DELETE', '/v1/webhooks/whk_1', '']]);
    expect(service.request(0).headers).not.toHaveProperty('idempotency-key');
    expect(await webhooks.delete('whk_1').safe()).toMatchObject({ ok: true, status: 204 });
  });

  test('that does not exist throws a NotFoundError', async () => {
    const { webhooks } = await createClient(gone);
    expect(await catchTradepostError(webhooks.delete('whk_1'))).toBeInstanceOf(NotFoundError);
  });

  test.each<[string, Step]>([
    ['a lost response', reset],
    ['a timeout', hang],
    ['a 500', problem(500, 'internal_error')],
    ["a proxy's 504", text(504, '<html>')],
  ])('succeeds when a repetition after %s gets 404', async (_, step) => {
    const service = await scriptedService(step, gone);
    const { webhooks } = createTestClient({ ...service, timeout: step === hang ? 300 : 30_000 });
    expect(await webhooks.delete('whk_1')).toBeUndefined();
    expect(service.seen.length).toBeGreaterThan(1);
  });

  test.each<[string, Step, Step]>([
    ['nothing was done before', problem(429, 'rate_limited'), gone],
    ['the service itself was not reached', reset, text(404, '<html>')],
    ['the service does not have the call', reset, problem(404, 'route_not_found')],
  ])('fails when a repetition gets 404 after %s', async (_, first, second) => {
    const { webhooks } = await createClient(first, second);
    expect(await catchTradepostError(webhooks.delete('whk_1'))).toBeInstanceOf(NotFoundError);
  });

  test('fails when a proxy responds, because it may not have been applied', async () => {
    const { webhooks } = await createClient(text(200, '<html>login'));
    expect((await catchTradepostError(webhooks.delete('whk_1'))).code).toBe('invalid_response');
  });
});

test('the resource for deliveries lists, gets and replays them', async () => {
  const { service, deliveries } = await createClient(
    json(200, { data: [delivery], nextCursor: null }),
    json(200, { data: delivery }),
    json(202, { data: delivery }),
  );
  const query = { webhookId: 'whk_1', state: 'failed', http: '5xx' } as const;
  expect(await deliveries.list(query).toArray({ limit: 5 })).toEqual([delivery]);
  expect(await deliveries.get('dlv_1')).toEqual(delivery);
  expect(await deliveries.replay('dlv_1', { idempotencyKey: 'again-1' })).toEqual(delivery);
  expect(service.seen.map(summarize)).toEqual([
    ['GET', '/v1/deliveries?webhookId=whk_1&state=failed&http=5xx', ''],
    ['GET', '/v1/deliveries/dlv_1', ''],
    ['POST', '/v1/deliveries/dlv_1/replay', ''],
  ]);
  expect(service.request(2).headers['idempotency-key']).toBe('again-1');
});

test('account.get returns the account', async () => {
  const { service, account: accounts } = await createClient(json(200, { data: account }));
  expect(await accounts.get()).toEqual(account);
  expect(service.seen.map(summarize)).toEqual([['GET', '/v1/account', '']]);
});

describe('a call of an extension to a service without extensions', () => {
  const beyond = 'This call is an extension, which this service may not support';

  async function failureAgainst(step: Step): Promise<TradepostError> {
    const { webhooks } = await createClient(step);
    return catchTradepostError(webhooks.get('whk_1'));
  }

  test('fails with an error that explains it', async () => {
    const error = await failureAgainst(problem(404, 'route_not_found'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toBe(
      `GET /v1/webhooks/whk_1 failed with 404 route_not_found: Detail of route_not_found. ${beyond}. (request req_1)`,
    );
  });

  test('fails likewise when the service responds in another way', async () => {
    const plain = await failureAgainst(text(404, 'Not Found'));
    expect(plain).toBeInstanceOf(NotFoundError);
    expect(plain.message).toContain(`: Not Found. ${beyond}: check baseUrl.`);
  });

  test('fails likewise when the service knows the path but not the method', async () => {
    const own = await failureAgainst(problem(405, 'method_not_allowed'));
    expect(own.message).toContain(`: Detail of method_not_allowed. ${beyond}. (`);
    const plain = await failureAgainst(text(405, 'no'));
    expect(plain.message).toContain(`: no. ${beyond}: check baseUrl.`);
    const other = await failureAgainst(json(405, { code: 'METHOD', detail: 'no' }));
    expect(other.message).toBe(`GET /v1/webhooks/whk_1 failed with 405 METHOD: no. ${beyond}.`);
  });

  test('reports a missing record as missing', async () => {
    const error = await failureAgainst(problem(404, 'webhook_not_found'));
    expect(error.message).not.toContain('beyond');
  });

  test('does not change how a call of the API specification fails', async () => {
    const { orders } = await createClient(text(404, ''), json(200, { data: anOrder() }));
    expect((await catchTradepostError(orders.get('ord_1'))).message).not.toContain('beyond');
    expect(await orders.get('ord_1')).toEqual(anOrder());
  });
});
