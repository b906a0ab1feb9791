import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { oas31 } from 'zod-openapi';
import { allEventTypes } from '../../src/events/event';
import { webhookEventSchema } from '../../src/events/event-schemas';
import { type ProblemCode, problems } from '../../src/problems/problem';
import { listOperations, resolved } from '../helpers/openapi-reader';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
const document: oas31.OpenAPIObject = JSON.parse(text);
const operations = listOperations(document.paths);
const deliveries = listOperations(document.webhooks);

/** The seven operations of the API specification, "Endpoints". */
const specOperations = [
  'get /v1/orders',
  'post /v1/orders',
  'get /v1/orders/{id}',
  'patch /v1/orders/{id}',
  'get /v1/notifications',
  'patch /v1/notifications/{id}',
  'post /v1/webhooks',
];

/** The success status of operations that do not return 200. */
const successes: Record<string, string> = {
  createOrder: '201',
  createWebhook: '201',
  deleteWebhook: '204',
  stageWebhookSecret: '201',
  sendTestEvent: '202',
  replayDeliveries: '202',
  replayDelivery: '202',
  createKey: '201',
  revokeKey: '204',
  createSignInCode: '201',
  createSession: '201',
};

/** The operations that are a POST and need no body. */
const withoutBody = [
  'stageWebhookSecret',
  'promoteWebhookSecret',
  'replayDelivery',
  'createSignInCode',
];

/** The operations that are a POST and take no idempotency key: what they create is used up within a minute. */
const withoutIdempotency = ['createSignInCode', 'createSession'];

/** The operations that need no API key. */
const withoutKey = ['createSession'];

/** The operations whose response has a `Location`. */
const creators = ['createOrder', 'createWebhook', 'sendTestEvent'];

test('all operations except the seven of the API specification are marked as extensions', () => {
  const unmarked = operations.filter(({ operation }) => operation['x-extension'] !== true);
  expect(unmarked.map(({ method, path }) => `${method} ${path}`)).toEqual(specOperations);
});

test('the extensions manage webhooks, deliveries, events, partners, the account, keys and sessions, and give overviews', () => {
  const marked = operations.filter(({ operation }) => operation['x-extension'] === true);
  expect(marked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'get /v1/orders/{id}/timeline',
    'post /v1/notifications/read',
    'get /v1/webhooks',
    'get /v1/webhooks/{id}',
    'delete /v1/webhooks/{id}',
    'patch /v1/webhooks/{id}',
    'get /v1/webhooks/{id}/stats',
    'post /v1/webhooks/{id}/secret',
    'post /v1/webhooks/{id}/secret/promote',
    'post /v1/webhooks/{id}/test',
    'post /v1/webhooks/{id}/replays',
    'get /v1/deliveries',
    'get /v1/deliveries/{id}',
    'post /v1/deliveries/{id}/replay',
    'get /v1/events',
    'get /v1/events/{id}',
    'get /v1/partners',
    'get /v1/account',
    'get /v1/summary',
    'get /v1/keys',
    'post /v1/keys',
    'delete /v1/keys/{id}',
    'post /v1/sign-in-codes',
    'post /v1/sessions',
  ]);
});

test('the document has a webhook for each event type', () => {
  expect(deliveries.map(({ path }) => path)).toEqual([...allEventTypes]);
  for (const { path, operation } of deliveries) {
    const body = resolved<oas31.RequestBodyObject>(document, operation.requestBody);
    const schema = resolved<oas31.SchemaObject>(document, body.content['application/json']?.schema);
    expect(schema.properties?.event).toMatchObject({ const: path });
    expect(schema.required).toEqual(['event', 'createdAt', 'data']);
  }
});

test('a delivery has no bearer key, and has the signature and the Standard Webhooks headers', () => {
  for (const { operation } of deliveries) {
    expect(operation.security).toEqual([]);
    const carried = (operation.parameters ?? []).filter(
      (header) => resolved<oas31.ParameterObject>(document, header).required,
    );
    expect(carried).toMatchObject(
      ['Service-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        in: 'header',
        name,
        description: expect.any(String),
      })),
    );
  }
});

test('all headers of a delivery except the signature are marked as extensions', () => {
  for (const { operation } of deliveries) {
    const headers = (operation.parameters ?? []).map((header) =>
      resolved<oas31.ParameterObject>(document, header),
    );
    expect(headers.at(-1)).toMatchObject({ name: 'Tradepost-Test', schema: { const: 'true' } });
    expect(headers.at(-1)).not.toHaveProperty('required', true);
    const unmarked = headers.filter((header) => header['x-extension'] !== true);
    expect(unmarked.map(({ name }) => name)).toEqual(['Service-Signature']);
  }
});

test('the example signatures are correct', () => {
  const [first] = deliveries;
  const words = first?.operation.description?.match(
    /the secret `(.+?)`, `Service-Signature` is `(.+?)` for this body .+:\n\n```\n(.+)\n```/,
  );
  const [, secret = '', signature, body = ''] = words ?? [];
  expect(createHmac('sha256', secret).update(body).digest('hex')).toBe(signature);
  expect(webhookEventSchema.safeParse(JSON.parse(body)).success).toBe(true);

  const [service, id, timestamp, standard] = (first?.operation.parameters ?? []).map((header) => {
    const { schema } = resolved<oas31.ParameterObject>(document, header);
    return resolved<oas31.SchemaObject>(document, schema).examples?.[0];
  });
  expect(service).toBe(signature);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  expect(key).toHaveLength(32);
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(standard).toBe(`v1,${signed}`);
});

test('operation ids are unique', () => {
  const ids = [...operations, ...deliveries].map(({ operation }) => operation.operationId);
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every operation but that of signing in requires the bearer key', () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  expect(document.components?.securitySchemes?.bearer).toMatchObject({
    type: 'http',
    scheme: 'bearer',
  });
  for (const { operation } of operations) {
    const needsNone = withoutKey.includes(operation.operationId ?? '');
    expect(operation.security).toEqual(needsNone ? [] : undefined);
  }
});

describe.each(operations)('$method $path', ({ method, path, operation }) => {
  const success = successes[operation.operationId ?? ''] ?? '200';
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    return { status, response: resolved<oas31.ResponseObject>(document, response) };
  });

  test('has a summary and a description', () => {
    expect(operation.summary).toMatch(/\.$/);
    expect(operation.description).toMatch(/\.$/);
  });

  test('has one success response and the common problems', () => {
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual([success]);
    expect(statuses).toEqual(
      expect.arrayContaining(['400', '401', '403', '422', '429', '500', '503', 'default']),
    );
  });

  test('has the problems of a body if it is a POST or a PATCH', () => {
    const statuses = responses.map(({ status }) => status);
    const ofBody = statuses.filter((status) => status === '413' || status === '415');
    expect(ofBody).toEqual(method === 'post' || method === 'patch' ? ['413', '415'] : []);
  });

  test('requires a body if it is a POST or a PATCH that needs one', () => {
    const takesOne = method === 'post' || method === 'patch';
    const needsNone = withoutBody.includes(operation.operationId ?? '');
    if (takesOne && !needsNone) expect(operation.requestBody).toMatchObject({ required: true });
    else expect(operation).not.toHaveProperty('requestBody');
  });

  test('takes an X-Request-Id', () => {
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/RequestId' });
  });

  test('may return 404 if its path has an ID', () => {
    expect(responses.some(({ status }) => status === '404')).toBe(path.includes('{id}'));
  });

  test('takes an idempotency key if it is a POST, and marks replayed responses', () => {
    const taken = (operation.parameters ?? []).some(
      (parameter) =>
        resolved<oas31.ParameterObject>(document, parameter).name === 'Idempotency-Key',
    );
    const found = responses.some(({ response }) => response.headers?.['Idempotent-Replayed']);
    const takesOne = method === 'post' && !withoutIdempotency.includes(operation.operationId ?? '');
    expect([taken, found]).toEqual([takesOne, takesOne]);
  });

  test('responds with X-Request-Id, and with the rate limit unless the key was rejected', () => {
    for (const { status, response } of responses) {
      const names = Object.keys(response.headers ?? {});
      expect(names).toContain('X-Request-Id');
      expect(names).toContain('Tradepost-Idempotency');
      expect(names).toContain('Tradepost-Extensions');
      expect(names.includes('RateLimit')).toBe(status !== '401');
      expect(names.includes('RateLimit-Policy')).toBe(status !== '401');
      expect(names.includes('WWW-Authenticate')).toBe(status === '401');
      expect(names.includes('Retry-After')).toBe(status === '429' || status === '503');
      expect(names.includes('Tradepost-Changed')).toBe(
        status === success && operation.operationId === 'updateOrder',
      );
      expect(names.includes('Location')).toBe(
        status === success && creators.includes(operation.operationId ?? ''),
      );
    }
  });

  test('responds to every error with a problem, and lists the codes that it may have', () => {
    for (const { status, response } of responses.filter(({ status }) => !status.startsWith('2'))) {
      expect(Object.keys(response.content ?? {})).toEqual(['application/problem+json']);
      expect(response.content?.['application/problem+json']?.schema).toEqual({
        $ref: '#/components/schemas/Problem',
      });
      const found = [...response.description.matchAll(/`(\w+)`: /g)].map(([, code]) => code);
      const media = response.content?.['application/problem+json'];
      expect(Object.keys(media?.examples ?? {})).toEqual(found);
      if (status === 'default') expect(found).toEqual([]);
      else expect(found, status).not.toEqual([]);
      for (const code of found) expect(problems[code as ProblemCode].status).toBe(Number(status));
    }
  });

  test('marks exactly the parameters that the API specification does not have', () => {
    for (const parameter of operation.parameters ?? []) {
      const { in: place, name, ...rest } = resolved<oas31.ParameterObject>(document, parameter);
      expect(rest['x-extension'] ?? false, name).toBe(place !== 'path' && name !== 'status');
    }
  });
});

test('a notification is marked read by a boolean, because generators have no constant booleans', () => {
  const { UpdateNotification } = document.components?.schemas ?? {};
  expect(UpdateNotification).toMatchObject({ properties: { read: { type: 'boolean' } } });
  expect(UpdateNotification).not.toHaveProperty('properties.read.const');
});

test('an event of the account is one of five named schemas, told apart by `event`', () => {
  const { AccountEvent } = document.components?.schemas ?? {};
  const names = allEventTypes.map((type) => {
    const words = type.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
    return `#/components/schemas/${words.join('')}AccountEvent`;
  });
  expect(AccountEvent).toMatchObject({
    oneOf: names.map(($ref) => ({ $ref })),
    discriminator: {
      propertyName: 'event',
      mapping: Object.fromEntries(allEventTypes.map((type, at) => [type, names[at]])),
    },
  });
});

test('the URL of a webhook has a pattern that excludes what every service rejects', () => {
  const { CreateWebhook, UpdateWebhook } = document.components?.schemas ?? {};
  for (const schema of [CreateWebhook, UpdateWebhook]) {
    const { pattern } = (schema as { properties: { url: { pattern: string } } }).properties.url;
    const matches = (text: string) => new RegExp(pattern, 'u').test(text);
    expect(matches('https://receiver.example:8443/hooks?tenant=7&x=%20')).toBe(true);
    for (const text of [
      'ftp://receiver.example',
      'https://me@receiver.example',
      'https://receiver.example/#orders',
      'https://receiver.example/%zz',
      'https:///a',
      'https://receiver.example/a b',
    ]) {
      expect(matches(text), text).toBe(false);
    }
  }
});

test('the limits of the service are in the description', () => {
  for (const limit of ['20 webhooks', '65,536 bytes', '16,384 bytes', '(431)']) {
    expect(document.info.description?.replaceAll('\n', ' ')).toContain(limit);
  }
  expect(document.info.contact).toBeDefined();
});

test('the response to a DELETE has no body', () => {
  const [removal] = operations.filter(({ method }) => method === 'delete');
  expect(removal?.operation.responses?.['204']).not.toHaveProperty('content');
});

test('a request body rejects unknown fields, and a response allows them', () => {
  const { CreateOrder, Order, Problem } = document.components?.schemas ?? {};
  expect(CreateOrder).toHaveProperty('additionalProperties', false);
  expect(Order).not.toHaveProperty('additionalProperties');
  expect(Problem).not.toHaveProperty('additionalProperties');
});
