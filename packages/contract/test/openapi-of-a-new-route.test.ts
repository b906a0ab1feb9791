import { initContract } from '@ts-rest/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { oas31 } from 'zod-openapi';
import { dataSchema } from '../src/http/page-schemas';
import type { RouteNotes } from '../src/http/route-notes';
import { openApiDocument } from '../src/openapi/openapi-document';
import { problemResponses } from '../src/problems/problem-responses';
import { operationsOf, resolved } from './openapi-reader';

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
            answerHeaders: [],
            interfaceQuery: ['reason'],
          } as RouteNotes,
        },
        label: {
          method: 'POST',
          path: '/v1/shelves/:shelf/bottles/:bottle',
          headers: { 'x-language': z.string() },
          contentType: 'multipart/form-data',
          body: z.object({ picture: z.string() }),
          responses: {
            200: c.otherResponse({ contentType: 'text/plain', body: z.string() }),
            201: dataSchema(z.object({ year: z.int() })),
          },
          metadata: {
            operationId: 'labelBottle',
            extension: false,
            answerHeaders: ['etag'],
          } as RouteNotes,
        },
      },
    },
  },
});

const document = openApiDocument(cellar);
const [remove, label] = operationsOf(document.paths).toSorted((a, b) =>
  a.method < b.method ? -1 : 1,
);

test('a route appears however deep in the contract it is, under the noun at the top', () => {
  expect(remove).toMatchObject({
    method: 'delete',
    path: '/v1/shelves/{shelf}/bottles/{bottle}',
    operation: { operationId: 'removeBottle', tags: ['cellar'] },
  });
  expect(label).toMatchObject({ method: 'post', path: '/v1/shelves/{shelf}/bottles/{bottle}' });
});

test('an extension is marked, and so are the parameters beyond the interface', () => {
  expect(remove?.operation).toHaveProperty('x-extension', true);
  expect(label?.operation).not.toHaveProperty('x-extension');
  const marked = remove?.operation.parameters
    ?.map((parameter) => resolved<oas31.ParameterObject>(document, parameter))
    .filter((parameter) => parameter['x-extension'] === true)
    .map(({ name }) => name);
  expect(marked).toEqual(['force']);
});

test('a path parameter without a schema of its own is a string', () => {
  expect(remove?.operation.parameters?.slice(0, 2)).toMatchObject([
    { in: 'path', name: 'shelf', required: true, schema: { type: 'string' } },
    { in: 'path', name: 'bottle', required: true, description: 'Id of a bottle.' },
  ]);
});

test('an answer without a body has no content', () => {
  expect(remove?.operation.responses?.['204']).not.toHaveProperty('content');
});

test('a body that may be left out is not required, and any other is', () => {
  const knock = (body: z.ZodType) =>
    c.router({
      knock: {
        method: 'POST',
        path: '/v1/knock',
        body,
        responses: { 202: dataSchema(z.object({})) },
        metadata: { operationId: 'knock', extension: true, answerHeaders: [] } as RouteNotes,
      },
    });
  for (const [body, required] of [
    [z.object({}).default({}), false],
    [z.object({}).optional(), false],
    [z.object({}), true],
  ] as const) {
    const [knocked] = operationsOf(openApiDocument(knock(body)).paths);
    expect(knocked?.operation.requestBody).toMatchObject({ required });
  }
});

test('a deprecated route says so in every answer', () => {
  expect(remove?.operation.deprecated).toBe(true);
  for (const status of ['204', '404', '503']) {
    const answer = resolved<oas31.ResponseObject>(document, remove?.operation.responses?.[status]);
    expect(Object.keys(answer.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset']),
    );
  }
});

test('a body and an answer keep the content type that the contract has for them', () => {
  const { requestBody, responses } = label?.operation ?? {};
  expect(Object.keys(resolved<oas31.RequestBodyObject>(document, requestBody).content)).toEqual([
    'multipart/form-data',
  ]);
  expect(Object.keys(responses?.['200'].content)).toEqual(['text/plain']);
  expect(Object.keys(responses?.['201'].content)).toEqual(['application/json']);
});

test('what is not a zod schema is refused, with the route and the place', () => {
  const typed = c.router({
    get: {
      method: 'GET',
      path: '/v1/typed',
      responses: { 200: c.type<{ year: number }>() },
      metadata: { operationId: 'getTyped', extension: false, answerHeaders: [] } as RouteNotes,
    },
  });
  expect(() => openApiDocument(typed)).toThrow('GET /v1/typed: the body of its 200');
});

test('a route without notes is refused', () => {
  const noted = c.router({ get: { method: 'GET', path: '/v1/bare', responses: {} } });
  expect(() => openApiDocument(noted)).toThrow('GET /v1/bare has no metadata');
});
