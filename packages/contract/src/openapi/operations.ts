import { isAppRouteNoBody } from '@ts-rest/core';
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { headerNames } from '../http/headers';
import { noBodySchema } from '../http/message-schemas';
import { buildCodeSamples } from './code-samples';
import { operationExamples } from './examples';
import { buildResponses } from './responses';
import { asZodSchema, type ListedRoute, markExtension, schemaFields } from './routes';

const pathParameter = /:(\w+)/g;

/** Returns the documented spelling of a header that the contract names in lower case. */
function documentedName(header: string): string {
  return (
    Object.values(headerNames).find((name) => name.toLowerCase() === header.toLowerCase()) ?? header
  );
}

function pathParameters({ name, route }: ListedRoute) {
  const fields = new Map(schemaFields(route.pathParams ?? {}, `${name}: its path`));
  const names = [...route.path.matchAll(pathParameter)].map(([, parameter = '']) => parameter);
  return z.object(Object.fromEntries(names.map((key) => [key, fields.get(key) ?? z.string()])));
}

function queryParameters({ name, route, metadata }: ListedRoute) {
  const fields = schemaFields(route.query ?? {}, `${name}: its query`).map(([key, schema]) => {
    return [key, metadata.specQuery?.includes(key) ? schema : markExtension(schema)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

/** Every request may have it. The contract does not validate it and no pattern is stated, because an invalid one is ignored. */
const requestIdParameter = z
  .string()
  .optional()
  .meta({
    description:
      'Your own ID of the request, 8 to 128 letters, digits, `.`, `_` or `-`. The response repeats it. If it is missing or invalid, the service creates one.',
    // Of its schema: an example of the parameter itself would be sent by pages on which requests are tried.
    examples: ['req_6f1f7a862f0c4f439f6e0f0c2b8a9d11'],
    param: { id: 'RequestId', 'x-extension': true },
  });

/** All of them are extensions: OpenAPI describes the headers of the API specification elsewhere. */
function headerParameters({ name, route }: ListedRoute) {
  const fields = schemaFields(route.headers ?? {}, `${name}: its headers`).map(([key, schema]) => {
    return [documentedName(key), markExtension(schema)] as const;
  });
  return z.object({ ...Object.fromEntries(fields), [headerNames.requestId]: requestIdParameter });
}

function buildRequestBody({
  name,
  route,
  metadata,
}: ListedRoute): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (!('body' in route) || route.body === null || isAppRouteNoBody(route.body)) return {};
  if (route.body === noBodySchema) return {};
  const contentType = route.contentType ?? 'application/json';
  const schema = asZodSchema(route.body, `${name}: its body`);
  const required = !schema.safeParse(undefined).success;
  const example = operationExamples[metadata.operationId]?.request;
  const media = { schema, ...(example !== undefined && { example }) };
  return { requestBody: { required, content: { [contentType]: media } } };
}

function buildOperation(found: ListedRoute): ZodOpenApiOperationObject {
  const { noun, route, metadata } = found;
  const codeSamples = buildCodeSamples(found);
  return {
    operationId: metadata.operationId,
    tags: [noun],
    ...(route.summary !== undefined && { summary: route.summary }),
    ...(route.description !== undefined && { description: route.description }),
    ...(route.deprecated && { deprecated: true }),
    ...(metadata.keys === 'none' && { security: [] }),
    ...(metadata.extension && { 'x-extension': true }),
    requestParams: {
      path: pathParameters(found),
      query: queryParameters(found),
      header: headerParameters(found),
    },
    ...buildRequestBody(found),
    responses: buildResponses(found),
    ...(codeSamples.length > 0 && { 'x-codeSamples': codeSamples }),
  };
}

/** Builds the `paths` of the document: an operation for each route, in the order of the contract. */
export function buildPaths(routes: ListedRoute[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const found of routes) {
    const path = found.route.path.replace(pathParameter, '{$1}');
    const method = found.route.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: buildOperation(found) };
  }
  return paths;
}
