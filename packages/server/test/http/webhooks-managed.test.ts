import type { CreatedWebhook, Page, WebhookDetails } from '@tradepost/contract';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Actor,
  getData,
  getProblem,
  type HttpResponse,
  type Service,
  startService,
} from './service';

const clock = new FakeClock();
let service: Service;
let seller: Actor;
let stranger: Actor;
let reader: Actor;

beforeAll(async () => {
  service = await startService({ clock });
});
beforeEach(async () => {
  seller = await service.account('seller');
  stranger = await service.account('seller');
  reader = await service.account('seller', { readOnly: true });
});
afterAll(() => service.close());

const wish = { url: 'https://receiver.example/hook', events: ['order.created'] };

async function register(as = seller, changes: object = {}): Promise<CreatedWebhook> {
  const body = { ...wish, ...changes };
  return getData<CreatedWebhook>(await service.request('POST /v1/webhooks', { as, body }));
}

const get = (id: string, as = seller) => service.request(`GET /v1/webhooks/${id}`, { as });
const remove = (id: string, as = seller) => service.request(`DELETE /v1/webhooks/${id}`, { as });
const patch = (id: string, body: unknown, as = seller) =>
  service.request(`PATCH /v1/webhooks/${id}`, { as, body });

function getPage(got: HttpResponse): Page<WebhookDetails> {
  return JSON.parse(got.text) as Page<WebhookDetails>;
}

async function list(query = '', as = seller): Promise<Page<WebhookDetails>> {
  return getPage(await service.request(`GET /v1/webhooks${query}`, { as }));
}

/** The fields of a webhook without deliveries. */
function untried({ secret: _never, ...webhook }: CreatedWebhook): WebhookDetails {
  return {
    ...webhook,
    stagedSecretAt: null,
    pendingDeliveries: 0,
    consecutiveFailures: 0,
    backoffUntil: null,
    lastStatus: null,
    lastError: null,
    failingSince: null,
    disabledAt: null,
  };
}

describe('GET /v1/webhooks', () => {
  it("lists the account's webhooks, newest first, without their secrets", async () => {
    const one = await register();
    const other = await register();
    await register(stranger);
    expect(await list()).toEqual({ data: [untried(other), untried(one)], nextCursor: null });
  });

  it('returns every webhook once, page by page, while new ones are created', async () => {
    const all: string[] = [];
    for (let count = 0; count < 5; count += 1) all.unshift((await register()).id);
    const first = await list('?limit=2');
    const late = await register();
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    const third = await list(`?limit=2&cursor=${second.nextCursor}`);
    const pages = [first, second, third].map(({ data }) => data.map(({ id }) => id));
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    expect(third.nextCursor).toBeNull();
    expect((await list('?limit=1')).data[0]?.id).toBe(late.id);
  });

  it('rejects a cursor that it never returned, and an unknown parameter', async () => {
    const odd = await service.request('GET /v1/webhooks?cursor=abc', { as: seller });
    expect(getProblem(odd)).toMatchObject({ status: 400, code: 'invalid_cursor' });
    const unknown = await service.request('GET /v1/webhooks?status=active', { as: seller });
    expect(getProblem(unknown).errors?.map(({ path }) => path)).toEqual(['status']);
  });
});

describe('GET /v1/webhooks/:id', () => {
  it('shows a webhook as the list does', async () => {
    const webhook = await register();
    const got = await get(webhook.id);
    expect(got.status).toBe(200);
    expect(getData(got)).toEqual(untried(webhook));
    expect(got.text).not.toContain('whsec_');
  });

  it('does not distinguish a webhook of another account from a missing one', async () => {
    const { id } = await register();
    const hidden = getProblem(await get(id, stranger));
    const missing = getProblem(await get('whk_none', stranger));
    expect(hidden).toMatchObject({ status: 404, code: 'webhook_not_found' });
    expect(hidden.detail.replace(id, 'whk_none')).toBe(missing.detail);
  });

  it.each(['nonsense', 'ord_1', 'whk_', '%00', '..%2f', 'x'.repeat(500)])(
    'returns 404 for %s, which is not an ID',
    async (id) => {
      expect(getProblem(await get(id)).code).toBe('webhook_not_found');
    },
  );
});

describe('PATCH /v1/webhooks/:id', () => {
  it.each([
    { url: 'https://elsewhere.example/in' },
    { events: ['task.completed', 'listing.availability_low'] },
    { status: 'paused' },
    {
      url: 'https://elsewhere.example/in',
      events: ['order.status_changed', 'task.completed'],
      status: 'paused',
    },
  ])('changes %j and nothing else', async (changes) => {
    const webhook = await register();
    await clock.advance(1_000);
    const got = await patch(webhook.id, changes);
    expect(got.status).toBe(200);
    const changed = getData<WebhookDetails>(got);
    const updatedAt = new Date(clock.now()).toISOString();
    expect(changed).toEqual({ ...untried(webhook), ...changes, updatedAt });
    expect(getData(await get(webhook.id))).toEqual(changed);
  });

  it("returns the url in its normal form and the events in the contract's order, as registration does", async () => {
    const { id } = await register();
    const events = ['task.completed', 'order.created'];
    const got = await patch(id, { url: 'https://ELSEWHERE.example:443', events });
    expect(getData(got)).toMatchObject({
      url: 'https://elsewhere.example/',
      events: ['order.created', 'task.completed'],
    });
  });

  it.each([
    { url: wish.url },
    { events: wish.events },
    { status: 'active' },
    { ...wish, status: 'active' },
  ])(
    'treats the current value %j as no change, so that a request can be repeated',
    async (changes) => {
      const webhook = await register();
      await clock.advance(1_000);
      const got = await patch(webhook.id, changes);
      expect([got.status, getData(got)]).toEqual([200, untried(webhook)]);
    },
  );

  it.each([
    ['http://receiver.example/', 'must start with https://'],
    ['https://10.0.0.7/', 'must name a public host'],
    ['https://localhost/', 'must name a public host'],
    ['https://receiver.example:25/', 'must use port 443'],
    ['https://user:pass@receiver.example/', 'must not contain credentials'],
    ['receiver.example', 'must be an absolute https:// URL'],
  ])('rejects the url %s, names it, and changes nothing', async (url, message) => {
    const webhook = await register();
    const problem = getProblem(await patch(webhook.id, { url, status: 'paused' }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors).toEqual([{ path: 'url', message: expect.stringContaining(message) }]);
    expect(getData(await get(webhook.id))).toEqual(untried(webhook));
  });

  it.each([
    ['nothing', {}, '', 'must have at least one of url, events, status'],
    ['no body', undefined, '', 'is required'],
    ['a list', [], '', 'must be a JSON object'],
    ['a secret', { secret: 'whsec_mine' }, 'secret', 'unknown field; known: url, events, status'],
    ['an unknown status', { status: 'deleted' }, 'status', 'must be one of active'],
    ['no events', { events: [] }, 'events', 'must have at least one event type'],
    ['an unknown event', { events: ['order.shipped'] }, 'events.0', 'must be one of'],
    ['an event twice', { events: ['order.created', 'order.created'] }, 'events', 'each'],
    ['null', { url: null }, 'url', 'must be an absolute https:// URL'],
  ])('rejects %s', async (_what, body, path, message) => {
    const { id } = await register();
    const problem = getProblem(await patch(id, body));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.[0]).toEqual({ path, message: expect.stringContaining(message) });
  });

  it('returns 404 for a webhook of another account, and changes nothing', async () => {
    const webhook = await register();
    const problem = getProblem(await patch(webhook.id, { status: 'paused' }, stranger));
    expect(problem).toMatchObject({ status: 404, code: 'webhook_not_found' });
    expect(getData(await get(webhook.id))).toEqual(untried(webhook));
  });
});

describe('DELETE /v1/webhooks/:id', () => {
  it('deletes a webhook with 204 and without a body; later requests for it get 404', async () => {
    const { id } = await register();
    const kept = await register();
    const got = await remove(id);
    expect([got.status, got.text, got.headers.get('content-type')]).toEqual([204, '', null]);
    for (const what of [
      'GET /v1/webhooks/:id',
      'PATCH /v1/webhooks/:id',
      'DELETE /v1/webhooks/:id',
      'POST /v1/webhooks/:id/secret',
      'POST /v1/webhooks/:id/secret/promote',
      'POST /v1/webhooks/:id/test',
    ]) {
      const bodies: Record<string, unknown> = {
        'PATCH /v1/webhooks/:id': { status: 'active' },
        'POST /v1/webhooks/:id/test': { event: 'order.created' },
      };
      const body = bodies[what];
      const again = await service.request(what.replace(':id', id), { as: seller, body });
      expect(getProblem(again).code, what).toBe('webhook_not_found');
    }
    expect((await list()).data).toEqual([untried(kept)]);
  });

  it('succeeds for one of two requests at once', async () => {
    const { id } = await register();
    const both = await Promise.all([remove(id), remove(id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('returns 404 for a webhook of another account, and does not delete it', async () => {
    const webhook = await register();
    expect(getProblem(await remove(webhook.id, stranger)).code).toBe('webhook_not_found');
    expect(getData(await get(webhook.id))).toEqual(untried(webhook));
  });
});

describe('a read-only key', () => {
  it.each([
    ['PATCH /v1/webhooks/whk_1', { status: 'paused' }],
    ['DELETE /v1/webhooks/whk_1', undefined],
    ['POST /v1/webhooks/whk_1/secret', undefined],
    ['POST /v1/webhooks/whk_1/secret/promote', undefined],
    ['POST /v1/webhooks/whk_1/test', { event: 'order.created' }],
    ['POST /v1/deliveries/dlv_1/replay', undefined],
  ])('may not %s', async (what, body) => {
    const problem = getProblem(await service.request(what, { as: reader, body }));
    expect(problem).toMatchObject({ status: 403, code: 'read_only_api_key' });
  });

  it.each(['/v1/webhooks', '/v1/deliveries', '/v1/events'])('may read %s', async (path) => {
    expect((await service.request(`GET ${path}`, { as: reader })).status).toBe(200);
  });
});
