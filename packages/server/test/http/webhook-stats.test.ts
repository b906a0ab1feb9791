import type { Page, WebhookDetails, WebhookStats } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respond } from '../helpers/receiver';
import { DeliveringService, type Hook } from './delivering-service';
import { getData, getProblem } from './service';

let harness: DeliveringService;
let hook: Hook;

beforeEach(async () => {
  harness = await DeliveringService.start();
  hook = await harness.hook(respond(200));
  await harness.placeAndRecord();
});
afterEach(() => harness.close());

const get = (path: string, as = harness.buyer) => harness.service.request(`GET ${path}`, { as });
const counted = { delivered: 1, failed: 0, attempts: { '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0 } };

describe('GET /v1/webhooks/:id/stats', () => {
  it('covers the window without gaps, up to now', async () => {
    const { id } = hook.webhook;
    for (const [query, bucketSeconds, length] of [
      ['?window=1h', 60, 60],
      ['', 900, 96],
      ['?window=7d', 3_600, 168],
    ] as const) {
      const stats = getData<WebhookStats>(await get(`/v1/webhooks/${id}/stats${query}`));
      const until = noon + bucketSeconds * 1_000;
      const since = until - length * bucketSeconds * 1_000;
      const iso = (time: number) => new Date(time).toISOString();
      expect(stats).toMatchObject({ webhookId: id, bucketSeconds, totals: counted });
      expect([stats.since, stats.until]).toEqual([iso(since), iso(until)]);
      expect(stats.points.map(({ start }) => start)).toEqual(
        Array.from({ length }, (_, index) => iso(since + index * bucketSeconds * 1_000)),
      );
      expect(stats.points.at(-1)).toMatchObject(counted);
      expect(stats.points.at(-2)).toMatchObject({ delivered: 0, latencyMs: null });
    }
  });

  it("does not show another account's, and rejects another window", async () => {
    const path = `/v1/webhooks/${hook.webhook.id}/stats`;
    expect(getProblem(await get(path, harness.seller))).toMatchObject({
      status: 404,
      code: 'webhook_not_found',
    });
    expect(getProblem(await get(`${path}?window=2h`))).toMatchObject({ status: 422 });
  });
});

it('GET /v1/webhooks?expand=stats has the totals of the last 24 hours, and only then', async () => {
  const list = async (query: string) =>
    (JSON.parse((await get(`/v1/webhooks${query}`)).text) as Page<WebhookDetails>).data;
  const { totals } = getData<WebhookStats>(await get(`/v1/webhooks/${hook.webhook.id}/stats`));
  expect((await list('?expand=stats'))[0]?.stats).toEqual(totals);
  expect((await list(''))[0]).not.toHaveProperty('stats');
});
