import type { ApiKey, CreatedApiKey, Page, Session, SignInCode } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../src/runtime/server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { CapturedLog } from '../helpers/captured-log';
import { tempFile } from '../helpers/temp-folder';
import { RecordedSpans } from '../tracing/recorded-spans';
import { type Actor, getData, getProblem, type HttpResponse, startService } from './service';

const hour = 3_600_000;

async function start(options: Partial<ServerOptions> = {}) {
  const clock = new FakeClock();
  const logs = new CapturedLog();
  logs.log.level = 'trace';
  const service = await startService({
    clock,
    log: logs.log,
    trustProxy: ['loopback'],
    ...options,
  });
  onTestFinished(() => service.close());
  const createCode = async (as: Actor | string) => {
    const got = await service.request('POST /v1/sign-in-codes', { as });
    expect(got.status, got.text).toBe(201);
    return getData<SignInCode>(got);
  };
  const exchange = (code: unknown, address = '203.0.113.1') =>
    service.request('POST /v1/sessions', {
      body: { code },
      headers: { 'X-Forwarded-For': address },
    });
  const signIn = async (as: Actor | string, address?: string) => {
    const got = await exchange((await createCode(as)).code, address);
    expect(got.status, got.text).toBe(201);
    return getData<Session>(got);
  };
  const statusOf = async (key: string) =>
    (await service.request('GET /v1/account', { as: key })).status;
  const revoke = (as: Actor | string, id: string) =>
    service.request(`DELETE /v1/keys/${id}`, { as });
  const buyer = await service.account('buyer');
  return { clock, logs, service, buyer, createCode, exchange, signIn, statusOf, revoke };
}

function expectRejected(got: HttpResponse): string {
  const { requestId: _, ...problem } = getProblem(got);
  expect(problem).toMatchObject({ status: 401, code: 'invalid_sign_in_code' });
  expect(got.headers.get('www-authenticate')).toBe('Bearer realm="tradepost"');
  return JSON.stringify(problem);
}

it('a code is exchanged for a session of twelve hours, without a key', async () => {
  const { clock, service, buyer, createCode, exchange, statusOf } = await start();
  const { code, expiresAt } = await createCode(buyer);
  expect(code).toMatch(/^tpc_[0-9A-Za-z]{38}$/);
  expect(expiresAt).toBe(new Date(noon + 60_000).toISOString());
  const { key, account } = getData<Session>(await exchange(code));
  expect(account).toMatchObject({
    id: buyer.id,
    key: { readOnly: false, expiresAt: new Date(noon + 12 * hour).toISOString() },
  });
  const shown = await service.request('GET /v1/account', { as: key });
  expect(getData(shown)).toEqual(account);
  const { text } = await service.request('GET /v1/keys', { as: key });
  const { data } = JSON.parse(text) as Page<ApiKey>;
  expect(data.find(({ id }) => id === account.key.id)).toMatchObject({
    kind: 'session',
    createdBy: buyer.keyId,
    current: true,
  });
  await clock.advance(12 * hour - 1);
  expect(await statusOf(key)).toBe(200);
  await clock.advance(1);
  expect(await statusOf(key)).toBe(401);
  expect(await statusOf(buyer.key)).toBe(200);
});

it('a code works once and for a minute; unknown, used and expired ones get one response', async () => {
  const { clock, service, buyer, createCode, exchange, revoke } = await start();
  const used = (await createCode(buyer)).code;
  expect((await exchange(used)).status).toBe(201);
  const expired = (await createCode(buyer)).code;
  const last = (await createCode(buyer)).code;
  await clock.advance(59_999);
  expect((await exchange(last)).status).toBe(201);
  await clock.advance(1_001);
  const seller = await service.account('seller');
  const revoked = (await createCode(seller)).code;
  await revoke(seller, seller.keyId);
  const responses = [];
  for (const code of [used, expired, revoked, `tpc_${'0'.repeat(38)}`, buyer.key, '%'])
    responses.push(expectRejected(await exchange(code)));
  expect(new Set(responses).size).toBe(1);
});

it('of many exchanges of one code by two servers at once, one succeeds', async () => {
  const file = tempFile();
  const one = await start({ store: openSqliteStore(file) });
  const other = await start({ store: openSqliteStore(file) });
  const { code } = await one.createCode(one.buyer);
  const got = await Promise.all(
    [one, other, one, other, one, other].map(({ exchange }) => exchange(code)),
  );
  expect(got.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401, 401]);
});

it('a session ends at once, on every server, when its key is revoked, and with its own revocation', async () => {
  const file = tempFile();
  const one = await start({ store: openSqliteStore(file) });
  const other = await start({ store: openSqliteStore(file) });
  const [first, second] = [await one.signIn(one.buyer), await one.signIn(one.buyer)];
  expect(await other.statusOf(first.key)).toBe(200);
  expect((await one.revoke(first.key, first.account.key.id)).status).toBe(204);
  expect(await other.statusOf(first.key)).toBe(401);
  expect(await other.statusOf(second.key)).toBe(200);
  await one.revoke(one.buyer, one.buyer.keyId);
  expect(await other.statusOf(second.key)).toBe(401);
});

it('a session ends when its key expires', async () => {
  const { clock, service, signIn, statusOf } = await start();
  const short = await service.account('buyer', { expiresAt: noon + hour });
  const { key } = await signIn(short);
  await clock.advance(hour - 1);
  expect(await statusOf(key)).toBe(200);
  await clock.advance(1);
  expect(await statusOf(key)).toBe(401);
});

it('a code of a read-only key gets a read-only session', async () => {
  const { service, signIn, revoke, statusOf } = await start();
  const reader = await service.account('buyer', { readOnly: true });
  const { key, account } = await signIn(reader);
  expect(account.key.readOnly).toBe(true);
  const body = { listingId: 'lst_1', quantity: 1 };
  const got = await service.request('POST /v1/orders', { as: key, body });
  expect(getProblem(got).code).toBe('read_only_api_key');
  // Signing out.
  expect((await revoke(key, account.key.id)).status).toBe(204);
  expect(await statusOf(key)).toBe(401);
});

it('a session creates neither keys nor codes, so nothing of it outlives it', async () => {
  const { service, buyer, signIn } = await start();
  const { key } = await signIn(buyer);
  for (const what of ['POST /v1/keys', 'POST /v1/sign-in-codes']) {
    const got = await service.request(what, { as: key, body: {} });
    expect(getProblem(got)).toMatchObject({ status: 403, code: 'session_not_allowed' });
  }
});

it('after ten wrong codes in a minute, an address has to wait, also with a right one, and no other', async () => {
  const { buyer, createCode, exchange, signIn } = await start();
  const wrong = Array.from({ length: 10 }, (_, index) => `tpc_${index}`);
  for (const { status } of await Promise.all(wrong.map((code) => exchange(code))))
    expect(status).toBe(401);
  const { code } = await createCode(buyer);
  for (const tried of ['tpc_x', code]) {
    const got = await exchange(tried);
    expect(getProblem(got)).toMatchObject({ status: 429, code: 'rate_limited' });
    const seconds = Number(got.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  expect((await exchange(code, '203.0.113.2')).status).toBe(201);
  await signIn(buyer, '2001:db8:0:100::1');
});

it('right codes and other rejections do not count as wrong ones', async () => {
  const { buyer, exchange, signIn } = await start();
  for (let count = 0; count < 12; count += 1) await signIn(buyer);
  for (let count = 0; count < 12; count += 1) expect((await exchange(7)).status).toBe(422);
  await signIn(buyer);
});

it('a client with IPv6 does not get new tries by other addresses of its network', async () => {
  const { exchange } = await start();
  for (let count = 0; count < 10; count += 1) await exchange('tpc_0', `2001:db8:0:${count}::7`);
  expect((await exchange('tpc_0', '2001:db8:0:ff::1')).status).toBe(429);
  expect((await exchange('tpc_0', '2001:db8:0:100::1')).status).toBe(401);
});

it('wrong codes from everywhere leave each address one try, so that no stranger locks others out', async () => {
  const { buyer, exchange, signIn } = await start();
  for (let host = 0; host < 250; host += 1) {
    const tries = [1, 2, 3, 4].map(() => exchange('tpc_0', `198.51.100.${host}`));
    await Promise.all(tries);
  }
  await signIn(buyer, '203.0.113.1');
  expect((await exchange('tpc_0', '203.0.113.2')).status).toBe(401);
  expect((await exchange('tpc_0', '203.0.113.2')).status).toBe(429);
});

it('no code and no key is in a log line, a span or a header, and no response may be stored', async () => {
  const spans = RecordedSpans.register();
  const { logs, service, buyer, createCode, exchange } = await start();
  const { code } = await createCode(buyer);
  const session = await exchange(code);
  const created = await service.request('POST /v1/keys', { as: buyer, body: { name: 'x' } });
  const secrets = [code, getData<Session>(session).key, getData<CreatedApiKey>(created).key];
  const responses = [session, created, await exchange(code)];
  // Where none belongs.
  const places = [`GET /v1/sign-in-codes/${code}`, `GET /v1/sessions?code=${code}`];
  for (const what of places) responses.push(await service.request(what, { as: buyer }));
  const malformed = `{"code": "${code}"`;
  responses.push(await service.request('POST /v1/sessions', { body: malformed }));
  responses.push(await service.request('POST /v1/sessions', { body: { code, [code]: 1 } }));
  await spans.all('POST /v1/sessions', 4);
  while (logs.text.filter((line) => line.includes('"msg":"request"')).length < 8)
    await logs.next('request');
  const seen = JSON.stringify([
    logs.text,
    spans.ended.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    responses.map(({ headers }) => [...headers]),
  ]);
  for (const secret of secrets) expect(seen).not.toContain(secret.slice(4));
  for (const { headers } of responses) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  }
});
