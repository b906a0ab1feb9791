import { isAppRouteNoBody, isAppRouteOtherResponse } from '@ts-rest/core';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import document from '../../openapi.json' with { type: 'json' };
import { contract } from '../../src/contract';
import { operationExamples } from '../../src/openapi/examples';
import { listRoutes } from '../../src/openapi/routes';
import { problemSchema } from '../../src/problems/problem-schema';
import { listOperations, resolved } from '../helpers/openapi-reader';

const routes = listRoutes(contract);
const operations = listOperations(document.paths as never);

test('every operation has an example, and no other has one', () => {
  expect(Object.keys(operationExamples)).toEqual(
    routes.map(({ metadata }) => metadata.operationId),
  );
});

describe.each(routes)('the example of $metadata.operationId', ({ route, metadata }) => {
  const example = operationExamples[metadata.operationId];
  const operation = operations.find(
    ({ operation: { operationId } }) => operationId === metadata.operationId,
  )?.operation;

  test('has a valid query', () => {
    if (example?.query !== undefined) (route.query as z.ZodType).parse(example.query);
  });

  test('has a valid request body if the operation requires one', () => {
    expect(example?.request !== undefined).toBe(operation?.requestBody !== undefined);
    if (example?.request !== undefined && 'body' in route) {
      (route.body as z.ZodType).parse(example.request);
    }
  });

  test('has a valid response with only documented fields', () => {
    const [, response] = Object.entries(route.responses).find(([status]) => status < '300') ?? [];
    if (response === undefined || isAppRouteNoBody(response)) {
      expect(example).not.toHaveProperty('response');
      return;
    }
    const schema = (isAppRouteOtherResponse(response) ? response.body : response) as z.ZodType;
    expect(schema.parse(example?.response)).toEqual(example?.response);
  });

  test('has a sample for curl, the SDK, the CLI, Python and Go', () => {
    const samples = (operation as { 'x-codeSamples'?: { label: string; source: string }[] })[
      'x-codeSamples'
    ];
    expect(samples?.map(({ label }) => label)).toEqual([
      'curl',
      'TypeScript (SDK)',
      'CLI',
      'Python',
      'Go',
    ]);
    for (const { source } of samples ?? []) expect(source).not.toMatch(/undefined|\{id\}/);
  });
});

test('every problem has an example for each of its codes', () => {
  const responses = Object.values(document.components.responses);
  const examples = responses.flatMap((response) => {
    const { content } = resolved<{ content: Record<string, { examples?: object }> }>(
      document as never,
      response as never,
    );
    return Object.values(content['application/problem+json']?.examples ?? {});
  });
  expect(examples.length).toBeGreaterThan(25);
  for (const { value } of examples as { value: unknown }[]) {
    expect(problemSchema.parse(value)).toEqual(value);
  }
});
