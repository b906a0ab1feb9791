import { initContract } from '@ts-rest/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { oas31 } from 'zod-openapi';
import { envelopeSchema } from '../../src/http/message-schemas';
import type { RouteMetadata } from '../../src/http/routes';
import { problemResponses } from '../../src/http/routes';
import { buildOpenApiDocument } from '../../src/openapi/openapi-document';
import { listOperations, resolved } from '../helpers/openapi-reader';

const c = initContract();

const cellar = c.router({
  cellar: {
    shelves: {
      bottles: {
        remove: {
          method: 'DELETE',
          path: '/v1/shelves/:shelf/bottles/:bottle',
          pathParams: z.object({ bottle: z.string().meta({ description: 'Id of a bottle.' }) }),
          query: z.object({ force: z.boolean(), reason: z.string() }),
          deprecated: true,
          responses: { 204: c.noBody(), ...problemResponses(404) },
          metadata: {
            operationId: 'removeBottle',
            extension: true,
            responseHeaders: [],
            specQuery: ['reason'],
          } as RouteMetadata,
        },
        label: {
          method: 'POST',
          path: '/v1/shelves/:shelf/bottles/:bottle',
          headers: { 'x-language': z.string() },
          contentType: 'multipart/form-data',
          body: z.object({ picture: z.string() }),
          responses: {
            200: c.otherResponse({ contentType: 'text/plain', body: z.string() }),
            201: envelopeSchema(z.object({ year: z.int() })),
          },
          metadata: {
            operationId: 'labelBottle',
            extension: false,
            responseHeaders: ['etag'],
          } as RouteMetadata,
        },
      },
    },
  },
});

const document = buildOpenApiDocument(cellar);
const [remove, label] = listOperations(document.paths).toSorted((a, b) =>
  a.method < b.method ? -1 : 1,
);

test('a nested route appears under its top-level noun', () => {
  expect(remove).toMatchObject({
    method: 'delete',
    path: '/v1/shelves/{shelf}/bottles/{bottle}',
    operation: { operationId: 'removeBottle', tags: ['cellar'] },
  });
  expect(label).toMatchObject({ method: 'post', path: '/v1/shelves/{shelf}/bottles/{bottle}' });
});

test('an extension and its extension parameters are marked', () => {
  expect(remove?.operation).toHaveProperty('x-extension', true);
  expect(label?.operation).not.toHaveProperty('x-extension');
  const marked = remove?.operation.parameters
    ?.map((parameter) => resolved<oas31.ParameterObject>(document, parameter))
    .filter((parameter) => parameter['x-extension'] === true)
    .map(({ name }) => name);
  expect(marked).toEqual(['force', 'X-Request-Id']);
});

test('a path parameter without a schema is a string', () => {
  expect(remove?.operation.parameters?.slice(0, 2)).toMatchObject([
    { in: 'path', name: 'shelf', required: true, schema: { type: 'string' } },
    { in: 'path', name: 'bottle', required: true, description: 'Id of a bottle.' },
  ]);
});

test('a response without a body has no content', () => {
  expect(remove?.operation.responses?.['204']).not.toHaveProperty('content');
});

test('a body is required unless its schema accepts undefined', () => {
  const knock = (body: z.ZodType) =>
    c.router({
      knock: {
        method: 'POST',
        path: '/v1/knock',
        body,
        responses: { 202: envelopeSchema(z.object({})) },
        metadata: { operationId: 'knock', extension: true, responseHeaders: [] } as RouteMetadata,
      },
    });
  for (const [body, required] of [
    [z.object({}).default({}), false],
    [z.object({}).optional(), false],
    [z.object({}), true],
  ] as const) {
    const [knocked] = listOperations(buildOpenApiDocument(knock(body)).paths);
    expect(knocked?.operation.requestBody).toMatchObject({ required });
  }
});

test('a deprecated route has the deprecation headers in every response', () => {
  expect(remove?.operation.deprecated).toBe(true);
  for (const status of ['204', '404', '503']) {
    const response = resolved<oas31.ResponseObject>(
      document,
      remove?.operation.responses?.[status],
    );
    expect(Object.keys(response.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset']),
    );
  }
});

test('a body and a response keep the content type of the contract', () => {
  const { requestBody, responses } = label?.operation ?? {};
  expect(Object.keys(resolved<oas31.RequestBodyObject>(document, requestBody).content)).toEqual([
    'multipart/form-data',
  ]);
  expect(Object.keys(responses?.['200'].content)).toEqual(['text/plain']);
  expect(Object.keys(responses?.['201'].content)).toEqual(['application/json']);
});

test('a schema that is not a zod schema is rejected with its route and position', () => {
  const typed = c.router({
    get: {
      method: 'GET',
      path: '/v1/typed',
      responses: { 200: c.type<{ year: number }>() },
      metadata: { operationId: 'getTyped', extension: false, responseHeaders: [] } as RouteMetadata,
    },
  });
  expect(() => buildOpenApiDocument(typed)).toThrow('GET /v1/typed: the body of its 200');
});

test('a route without metadata is rejected', () => {
  const noted = c.router({ get: { method: 'GET', path: '/v1/bare', responses: {} } });
  expect(() => buildOpenApiDocument(noted)).toThrow('GET /v1/bare has no metadata');
});
