import { createContext, createIdGenerator } from '@tradepost/domain/kernel/context';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rejectionMs } from '../../src/http/rate-limiter';
import { issueKey } from '../../src/kernel/api-key';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { changeAccount } from '../stores/change-account';
import { getProblem, startService } from './service';

const newId = createIdGenerator();
let clock: FakeClock;
let file: string;
let service: Awaited<ReturnType<typeof startService>>;

beforeEach(async () => {
  clock = new FakeClock();
  file = tempFile();
  const limits = { rateLimit: 3, accountRateLimit: 5 };
  service = await startService({ store: openSqliteStore(file), clock, ...limits });
});
afterEach(async () => {
  await service.close();
  await service.store.close();
});

async function addKey(accountId: string): Promise<string> {
  const settings = { accountId, readOnly: false, expiresAt: null };
  const { record, apiKey } = issueKey(settings, createContext(clock, newId));
  await service.store.accounts.addKey(record);
  return apiKey;
}

/** Changes the limits of an account, as a command in another process does. */
async function limit(id: string, limits: { requestsPerMinute?: number; maxWebhooks?: number }) {
  const beside = openSqliteStore(file);
  await changeAccount(beside, id, (found) => ({ ...found, ...limits }));
  await beside.close();
}

const list = (as: string) => service.request('GET /v1/orders', { as });

test('all keys of an account together may make as many requests as the account may, and other accounts as many again', async () => {
  const { id, key } = await service.account('buyer');
  const other = await service.account('buyer');
  const second = await addKey(id);
  for (const text of [key, key, key, second]) expect((await list(text)).status).toBe(200);
  const last = await list(second);
  expect(last.headers.get('ratelimit')).toMatch(/^"requests"; r=1; t=\d+, "account"; r=0; t=\d+$/);
  const rejected = await list(second);
  const problem = getProblem(rejected);
  expect(problem).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(problem.detail).toContain('All keys of this account together are limited to 5 requests');
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await list(other.key)).status).toBe(200);
});

test('what one key is rejected for does not count for the account', async () => {
  const { id, key } = await service.account('buyer');
  for (let count = 0; count < 3; count += 1) await list(key);
  for (let count = 0; count < 9; count += 1) {
    await clock.advance(rejectionMs);
    const problem = getProblem(await list(key));
    expect(problem.detail).toContain('This API key is limited to 3 requests');
  }
  expect((await list(await addKey(id))).status).toBe(200);
});

test('a limit of the account that an operator sets holds for its next request', async () => {
  const { id, key } = await service.account('buyer');
  expect((await list(key)).status).toBe(200);
  await limit(id, { requestsPerMinute: 2 });
  const second = await list(key);
  expect(second.headers.get('ratelimit')).toMatch(/"account"; r=0; /);
  expect(second.headers.get('ratelimit-policy')).toMatch(/"account"; q=2; /);
  expect(getProblem(await list(key)).detail).toContain('limited to 2 requests');
  await limit(id, { requestsPerMinute: 100 });
  await clock.advance(rejectionMs);
  expect((await list(await addKey(id))).status).toBe(200);
});

test('rejecting a key again needs no look-up and no body, and a revoked key is refused a second later', async () => {
  const { key, keyId } = await service.account('buyer');
  for (let count = 0; count < 4; count += 1) await list(key);
  const lookup = vi.spyOn(service.store.accounts, 'findKeyByHash');
  const body = { listingId: 'not one', quantity: -1 };
  const again = await service.request('POST /v1/orders', { as: key, body });
  expect(getProblem(again)).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(again.headers.get('ratelimit')).toMatch(/^"requests"; r=0; t=\d+$/);
  expect(lookup).not.toHaveBeenCalled();
  await service.store.accounts.revokeKey(keyId, clock.now());
  await clock.advance(rejectionMs);
  expect(getProblem(await list(key))).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('an account may have as many webhooks as an operator lets it have', async () => {
  const { id, key } = await service.account('buyer');
  const body = { url: 'https://hooks.example/', events: ['order.created'] };
  const create = () => service.request('POST /v1/webhooks', { as: key, body });
  await limit(id, { maxWebhooks: 1 });
  expect((await create()).status).toBe(201);
  const problem = getProblem(await create());
  expect(problem).toMatchObject({ status: 409, code: 'webhook_limit_reached' });
  expect(problem.detail).toContain('has 1 webhook; the limit is 1.');
});
