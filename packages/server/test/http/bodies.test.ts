import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, getData, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor & { keyId: string };

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
});
afterAll(() => service.close());

describe('the body parser', () => {
  it.each(['{', '{"listingId":}', 'listingId=1', '\u0000'])(
    'returns 400 for %j, which is not JSON',
    async (body) => {
      const problem = getProblem(await service.request('POST /v1/orders', { as: buyer, body }));
      expect(problem).toMatchObject({ status: 400, code: 'malformed_json' });
    },
  );

  it.each(['[]', 'null', '"text"', '5', 'true'])(
    'returns 422 for %s, which is JSON but not an object',
    async (body) => {
      const problem = getProblem(await service.request('POST /v1/orders', { as: buyer, body }));
      expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
      expect(problem.detail).toContain('must be a JSON object');
    },
  );

  it('returns 422 without a body', async () => {
    const problem = getProblem(await service.request('POST /v1/orders', { as: buyer }));
    expect(problem.detail).toContain('is required');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'returns 415 for a body sent as %s',
    async (type) => {
      const request = { as: buyer, body: '{}', headers: { 'Content-Type': type } };
      const problem = getProblem(await service.request('POST /v1/orders', request));
      expect(problem).toMatchObject({ status: 415, code: 'unsupported_media_type' });
      expect(problem.detail).toContain(`The Content-Type is ${type}. Send the body with`);
    },
  );

  it('returns 415 for a body without a Content-Type', async () => {
    const response = await fetch(`${service.url}/v1/orders`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${buyer.key}` },
      body: Buffer.from('{}'),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      code: 'unsupported_media_type',
      detail: 'The request has no Content-Type. Send the body with Content-Type: application/json.',
    });
  });

  it('names a field whose name is empty, and not the body', async () => {
    const request = { as: buyer, body: { listingId: 'lst_1', quantity: 1, '': 1 } };
    const problem = getProblem(await service.request('POST /v1/orders', request));
    const message = 'unknown field; known: listingId, quantity';
    expect(problem.detail).toBe(`"": ${message}.`);
    expect(problem.errors).toEqual([{ path: '""', message }]);
  });

  it('names a missing field as required, with what it must be', async () => {
    const problem = getProblem(await service.request('POST /v1/orders', { as: buyer, body: {} }));
    expect(problem.errors).toContainEqual({
      path: 'quantity',
      message: 'is required and must be an integer',
    });
  });

  it.each([{ 'Content-Encoding': 'zip' }, { 'Content-Type': 'application/json; charset=ebcdic' }])(
    'returns 415 for %j',
    async (headers) => {
      const got = await service.request('POST /v1/orders', { as: buyer, body: '{}', headers });
      expect(getProblem(got).code).toBe('unsupported_media_type');
    },
  );

  it('returns 413 for a body over 65,536 bytes', async () => {
    const body = JSON.stringify({ listingId: 'x'.repeat(65_536) });
    const problem = getProblem(await service.request('POST /v1/orders', { as: buyer, body }));
    expect(problem).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('returns 400 for bytes that are not UTF-8, and stores nothing', async () => {
    const bytes = Buffer.from('{"url":"https://receiver.example/?","events":["order.created"]}');
    bytes[bytes.indexOf('?')] = 0xff;
    const response = await fetch(`${service.url}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${buyer.key}`, 'Content-Type': 'application/json' },
      body: bytes,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'malformed_json' });
  });

  it.each([
    ['no body', undefined, {}],
    ['an empty JSON body', '', { 'Content-Type': 'application/json' }],
    ['an empty text', '', { 'Content-Type': 'text/plain' }],
    ['{}', '{}', { 'Content-Type': 'application/json' }],
    ['null', 'null', { 'Content-Type': 'application/json; charset=utf-8' }],
  ])('accepts %s where no body is needed', async (_, body, headers) => {
    const url = 'https://receiver.example/hook';
    const created = await service.request('POST /v1/webhooks', {
      as: buyer,
      body: { url, events: ['order.created'] },
    });
    const { id } = getData<{ id: string }>(created);
    const send = (path: string) =>
      fetch(`${service.url}/v1/webhooks/${id}/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${buyer.key}`, ...headers },
        ...(body !== undefined && { body }),
      });
    expect((await send('secret')).status).toBe(201);
    expect((await send('secret/promote')).status).toBe(200);
    await service.request(`DELETE /v1/webhooks/${id}`, { as: buyer });
  });

  it('reports many issues in a response of limited size', async () => {
    const names = Array.from({ length: 4_000 }, (_, at) => [`field_${at}`, 1]);
    const got = await service.request('POST /v1/orders', {
      as: buyer,
      body: Object.fromEntries(names),
    });
    const problem = getProblem(got);
    expect(problem.errors).toHaveLength(50);
    expect(problem.detail).toContain('More in errors');
    expect(got.text.length).toBeLessThan(10_000);
    const long = await service.request('POST /v1/orders', {
      as: buyer,
      body: { ['x'.repeat(60_000)]: 1 },
    });
    expect(long.text.length).toBeLessThan(1_500);
  });

  it('does not read the body of a request without a key', async () => {
    const got = await service.request('POST /v1/orders', { body: '{' });
    expect(getProblem(got).code).toBe('missing_api_key');
  });

  it('handles a body with __proto__ like any other', async () => {
    const body = '{"__proto__":{"listingId":"lst_1"},"quantity":1}';
    const problem = getProblem(await service.request('POST /v1/orders', { as: buyer, body }));
    expect(problem.errors?.map(({ path }) => path)).toContain('listingId');
  });
});
