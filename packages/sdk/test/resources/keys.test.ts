import { describe, expect, test } from 'vitest';
import { createSession, RateLimitError, Tradepost } from '../../src/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, reset, scriptedService, text } from '../helpers/scripted-service';

const code = 'tpc_0123456789abcdefghijklmnopqrstuvwxyz01';
const createClient = ({ baseUrl }: { baseUrl: string }) =>
  new Tradepost({ baseUrl, apiKey: 'tpk_test' });

const key = { id: 'key_1', name: 'export', readOnly: true, key: 'tpk_secret' };

describe('the resource for keys', () => {
  test('lists, creates with an idempotency key, and revokes', async () => {
    const service = await scriptedService(
      json(200, { data: [key], nextCursor: null }),
      json(201, { data: key }),
      text(204, ''),
    );
    const tradepost = createClient(service);
    expect(await tradepost.keys.list({ limit: 5 }).toArray({ limit: 9 })).toEqual([key]);
    const params = { name: 'export', readOnly: true, expiresIn: 60 };
    expect(await tradepost.keys.create(params)).toEqual(key);
    expect(await tradepost.keys.revoke('key_1')).toBeUndefined();
    expect(service.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/keys?limit=5', ''],
      ['POST', '/v1/keys', JSON.stringify(params)],
      ['DELETE', '/v1/keys/key_1', ''],
    ]);
    expect(service.request(1).headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('signing in', () => {
  test('a code is created with the key, and exchanged without one, in the body', async () => {
    const session = { key: 'tpk_session', account: { id: 'usr_1' } };
    const service = await scriptedService(
      json(201, { data: { code, expiresAt: '2026-11-21T09:31:00.000Z' } }),
      json(201, { data: session }),
    );
    const tradepost = createClient(service);
    expect(await tradepost.signIn.createCode()).toMatchObject({ code });
    expect(await createSession(code, { baseUrl: service.baseUrl })).toEqual(session);
    const [create, exchange] = [service.request(0), service.request(1)];
    expect([create.method, create.url, create.body]).toEqual(['POST', '/v1/sign-in-codes', '']);
    expect(create.headers.authorization).toMatch(/^Bearer /);
    expect([exchange.method, exchange.url]).toEqual(['POST', '/v1/sessions']);
    expect(JSON.parse(exchange.body)).toEqual({ code });
    expect(exchange.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(exchange.headers)).not.toContain(code);
  });

  test('credentials for a gateway are sent as they are', async () => {
    const service = await scriptedService(json(201, { data: {} }));
    const defaultHeaders = { Authorization: 'Basic Z2F0ZXdheQ==' };
    await createSession(code, { baseUrl: service.baseUrl, defaultHeaders });
    expect(service.request(0).headers.authorization).toBe('Basic Z2F0ZXdheQ==');
  });

  test('an exchange whose outcome is unknown is not repeated, because a code works once', async () => {
    const service = await scriptedService(reset, json(201, { data: {} }));
    const error = await catchTradepostError(createSession(code, { baseUrl: service.baseUrl }));
    expect(error).toMatchObject({ mayHaveBeenApplied: true });
    expect(service.seen).toHaveLength(1);
  });

  test('the code is in no error, hook and log entry', async () => {
    const service = await scriptedService(
      problem(422, 'validation_failed', {}, { detail: `${code} is not valid` }),
      problem(429, 'rate_limited', {}, { detail: `wait with ${code}` }),
    );
    const seen: unknown[] = [];
    const note = (...entry: unknown[]) => void seen.push(entry);
    const logger = { debug: note, info: note, warn: note, error: note };
    const options = { baseUrl: service.baseUrl, maxRetries: 0, logger, hooks: { onError: note } };
    const first = await catchTradepostError(createSession(code, options));
    const second = await catchTradepostError(createSession(code, options));
    expect(second).toBeInstanceOf(RateLimitError);
    const texts = [first, second].map((error) => [error.message, error.stack, { ...error }]);
    const shown = JSON.stringify([texts, seen]);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toContain(code);
    expect(() => createSession('', { baseUrl: service.baseUrl })).toThrow(/sign-in code/);
  });
});
