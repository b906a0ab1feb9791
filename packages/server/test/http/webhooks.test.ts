import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, getData, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor & { keyId: string };

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
});
afterAll(() => service.close());

describe('POST /v1/webhooks', () => {
  const register = (body: unknown) => service.request('POST /v1/webhooks', { as: buyer, body });

  it('returns the webhook and, only this once, its secret', async () => {
    const events = ['order.created', 'order.status_changed'];
    const got = await register({ url: 'https://receiver.example/hook', events });
    expect(got.status).toBe(201);
    const webhook = getData<{ id: string; createdAt: string }>(got);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: 'https://receiver.example/hook',
      events,
      status: 'active',
      description: null,
      headerNames: [],
      attemptsPerMinute: null,
      createdAt: expect.any(String),
      updatedAt: webhook.createdAt,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(got.headers.get('location')).toBe(`/v1/webhooks/${webhook.id}`);
  });

  it.each([
    'http://receiver.example/',
    'ftp://receiver.example/',
    'receiver.example',
    'https://user:pass@receiver.example/',
    'https://receiver.example/#part',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://api.localhost./',
    `https://receiver.example/${'x'.repeat(2048)}`,
    '',
    7,
  ])('rejects the url %j', async (url) => {
    const problem = getProblem(await register({ url, events: ['order.created'] }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map(({ path }) => path)).toEqual(['url']);
  });

  it('allows an account twenty webhooks', async () => {
    const actor = await service.account('seller');
    const body = { url: 'https://receiver.example/', events: ['order.created'] };
    const request = () => service.request('POST /v1/webhooks', { as: actor, body });
    for (let count = 0; count < 20; count += 1) expect((await request()).status).toBe(201);
    expect(getProblem(await request())).toMatchObject({
      status: 409,
      code: 'webhook_limit_reached',
    });
    expect((await register(body)).status).toBe(201);
  });

  it.each([[[]], [['order.shipped']], ['order.created'], [undefined]])(
    'rejects the events %j',
    async (events) => {
      const problem = getProblem(await register({ url: 'https://receiver.example/', events }));
      expect(problem.errors?.[0]?.path).toMatch(/^events/);
    },
  );
});
