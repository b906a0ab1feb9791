import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runServerCommand } from '../../helpers/run-server-command';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { sendRaw } from './helpers/raw-request';

/** A long poll checks for a revocation every second. In milliseconds, with time for a slow machine. */
const pollTimeoutMs = 15_000;

it('a long poll whose key another process revokes ends with 401 and without events', async () => {
  const { server, buyer, seller, seed } = await forTest(startSeededServer());
  const keys = await runServerCommand<{ id: string; accountId: string }[]>(
    ['keys', 'list'],
    server.database,
  );
  const key = keys.find(({ accountId }) => accountId === seller.id);
  const latest = await sendRaw('GET', `${server.url}/v1/events?limit=100`, {
    apiKey: seller.apiKey,
  });
  const { nextCursor } = latest.body as { nextCursor?: string };

  const url = `${server.url}/v1/events?waitSeconds=30&after=${nextCursor}`;
  const waiting = sendRaw('GET', url, { apiKey: seller.apiKey });
  // A response on another connection shows that the request has arrived and is authenticated.
  const account = await sendRaw('GET', `${server.url}/v1/account`, { apiKey: seller.apiKey });
  expect(account.status).toBe(200);
  await runServerCommand(['keys', 'revoke', key?.id ?? ''], server.database);

  const client = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  await client.orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });
  const { status, body, durationMs } = await waiting;
  expect(status).toBe(401);
  expect(body).toMatchObject({ code: 'invalid_api_key' });
  expect(body.detail).toContain('was revoked');
  expect(durationMs).toBeLessThan(pollTimeoutMs);
});
