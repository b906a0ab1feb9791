import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { oas31 } from 'zod-openapi';
import { contract } from '../src/contract';
import { webhookEventSchema } from '../src/events/event-schemas';
import { eventKinds } from '../src/events/webhook-event';
import { openApiDocument } from '../src/openapi/openapi-document';
import { codesOfStatus } from '../src/problems/problem-schema';
import { operationsOf, resolved } from './openapi-reader';

const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
const document: oas31.OpenAPIObject = JSON.parse(text);
const operations = operationsOf(document.paths);
const deliveries = operationsOf(document.webhooks);

test('openapi.json is what the contract generates', () => {
  const generated = `${JSON.stringify(openApiDocument(contract), null, 2)}\n`;
  expect(
    text === generated,
    'openapi.json is out of date: run `pnpm --filter @tradepost/contract openapi`',
  ).toBe(true);
});

/** The seven operations of the interface. Source: the interface, "Endpoints". */
const ofInterface = [
  'get /v1/orders',
  'post /v1/orders',
  'get /v1/orders/{id}',
  'patch /v1/orders/{id}',
  'get /v1/notifications',
  'patch /v1/notifications/{id}',
  'post /v1/webhooks',
];

/** What the operations that do not just answer 200 succeed with. */
const successes: Record<string, string> = {
  createOrder: '201',
  createWebhook: '201',
  removeWebhook: '204',
  stageWebhookSecret: '201',
  testWebhook: '202',
  replayDelivery: '202',
};

/** The operations whose answer says where to find what they created. */
const creators = ['createOrder', 'createWebhook', 'testWebhook'];

test('it has the seven operations of the interface, and every other is marked as an extension', () => {
  const unmarked = operations.filter(({ operation }) => operation['x-extension'] !== true);
  expect(unmarked.map(({ method, path }) => `${method} ${path}`)).toEqual(ofInterface);
});

test('beyond the interface it manages webhooks, shows their deliveries, and tells events and whose key it is', () => {
  const marked = operations.filter(({ operation }) => operation['x-extension'] === true);
  expect(marked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'get /v1/webhooks',
    'get /v1/webhooks/{id}',
    'delete /v1/webhooks/{id}',
    'patch /v1/webhooks/{id}',
    'post /v1/webhooks/{id}/secret',
    'post /v1/webhooks/{id}/secret/promote',
    'post /v1/webhooks/{id}/test',
    'get /v1/deliveries',
    'get /v1/deliveries/{id}',
    'post /v1/deliveries/{id}/replay',
    'get /v1/events',
    'get /v1/account',
  ]);
});

test('it has a webhook for each of the five event kinds, which carries that event', () => {
  expect(deliveries.map(({ path }) => path)).toEqual([...eventKinds]);
  for (const { path, operation } of deliveries) {
    const body = resolved<oas31.RequestBodyObject>(document, operation.requestBody);
    const schema = resolved<oas31.SchemaObject>(document, body.content['application/json']?.schema);
    expect(schema.properties?.event).toMatchObject({ const: path });
    expect(schema.required).toEqual(['event', 'createdAt', 'data']);
  }
});

test('a delivery needs no bearer key and carries the signature and the Standard Webhooks headers', () => {
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

test('a delivery may be a sample, and of its headers the interface has the signature alone', () => {
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

test('the example of a signature is right', () => {
  const [first] = deliveries;
  const words = first?.operation.description?.match(
    /the secret `(.+)` and the body `(.+)` make `(.+)`/,
  );
  const [, secret = '', body = '', signature] = words ?? [];
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

test('every operation asks for the bearer key', () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  expect(document.components?.securitySchemes?.bearer).toMatchObject({
    type: 'http',
    scheme: 'bearer',
  });
  for (const { operation } of operations) expect(operation).not.toHaveProperty('security');
});

describe.each(operations)('$method $path', ({ method, path, operation }) => {
  const success = successes[operation.operationId ?? ''] ?? '200';
  const answers = Object.entries(operation.responses ?? {}).map(([status, answer]) => {
    return { status, answer: resolved<oas31.ResponseObject>(document, answer) };
  });

  test('is summed up and described', () => {
    expect(operation.summary).toMatch(/\.$/);
    expect(operation.description).toMatch(/\.$/);
  });

  test('has one success and the problems that any request may meet', () => {
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual([success]);
    expect(statuses).toEqual(
      expect.arrayContaining(['400', '401', '422', '429', '500', '503', 'default']),
    );
  });

  test('has the problems of a body when it takes one', () => {
    const statuses = answers.map(({ status }) => status);
    const ofBody = statuses.filter((status) => status === '413' || status === '415');
    expect(ofBody).toEqual(operation.requestBody === undefined ? [] : ['413', '415']);
  });

  test('takes a body when it changes something, unless it removes', () => {
    expect(operation.requestBody !== undefined).toBe(method === 'post' || method === 'patch');
  });

  test('refuses a key that may only read when it changes something', () => {
    expect(answers.some(({ status }) => status === '403')).toBe(method !== 'get');
  });

  test('may find nothing when it names one thing', () => {
    expect(answers.some(({ status }) => status === '404')).toBe(path.includes('{id}'));
  });

  test('takes an idempotency key when it is a POST, and says when it repeats itself', () => {
    const taken = (operation.parameters ?? []).some(
      (parameter) =>
        resolved<oas31.ParameterObject>(document, parameter).name === 'Idempotency-Key',
    );
    const told = answers.some(({ answer }) => answer.headers?.['Idempotent-Replayed']);
    expect([taken, told]).toEqual([method === 'post', method === 'post']);
  });

  test('answers with X-Request-Id, and with the rate limit unless the key was refused', () => {
    for (const { status, answer } of answers) {
      const names = Object.keys(answer.headers ?? {});
      expect(names).toContain('X-Request-Id');
      expect(names.includes('RateLimit')).toBe(status !== '401');
      expect(names.includes('RateLimit-Policy')).toBe(status !== '401');
      expect(names.includes('WWW-Authenticate')).toBe(status === '401');
      expect(names.includes('Retry-After')).toBe(status === '429' || status === '503');
      expect(names.includes('Location')).toBe(
        status === success && creators.includes(operation.operationId ?? ''),
      );
    }
  });

  test('answers every error with a problem and lists its codes', () => {
    for (const { status, answer } of answers.filter(({ status }) => !status.startsWith('2'))) {
      expect(answer.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      });
      const told = [...answer.description.matchAll(/`(\w+)`: /g)].map(([, code]) => code);
      expect(told).toEqual(codesOfStatus(Number(status)));
    }
  });

  test('marks the parameters that the interface does not have, and only those', () => {
    for (const parameter of operation.parameters ?? []) {
      const { in: place, name, ...rest } = resolved<oas31.ParameterObject>(document, parameter);
      expect(rest['x-extension'] ?? false, name).toBe(place !== 'path' && name !== 'status');
    }
  });
});

test('an answer to a removal has no body', () => {
  const [removal] = operations.filter(({ method }) => method === 'delete');
  expect(removal?.operation.responses?.['204']).not.toHaveProperty('content');
});

test('a body is closed, so that a misspelt field is found; an answer is open for fields to come', () => {
  const { CreateOrder, Order, Problem } = document.components?.schemas ?? {};
  expect(CreateOrder).toHaveProperty('additionalProperties', false);
  expect(Order).not.toHaveProperty('additionalProperties');
  expect(Problem).not.toHaveProperty('additionalProperties');
});
