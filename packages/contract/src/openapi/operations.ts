import { isAppRouteNoBody } from '@ts-rest/core';
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { headerNames } from '../http/headers';
import { answersOf } from './answers';
import { extension } from './extension';
import type { FoundRoute } from './routes';
import { fieldsOf, zodOf } from './zod-of';

const pathParameter = /:(\w+)/g;

/** The documented spelling of a header that the contract names in lower case. */
function spelled(header: string): string {
  return (
    Object.values(headerNames).find((name) => name.toLowerCase() === header.toLowerCase()) ?? header
  );
}

function pathOf({ name, route }: FoundRoute) {
  const fields = new Map(fieldsOf(route.pathParams ?? {}, `${name}: its path`));
  const names = [...route.path.matchAll(pathParameter)].map(([, parameter = '']) => parameter);
  return z.object(Object.fromEntries(names.map((key) => [key, fields.get(key) ?? z.string()])));
}

function queryOf({ name, route, notes }: FoundRoute) {
  const fields = fieldsOf(route.query ?? {}, `${name}: its query`).map(([key, schema]) => {
    return [key, notes.interfaceQuery?.includes(key) ? schema : extension(schema)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

/** The interface has no request header but those that OpenAPI tells elsewhere. */
function headerOf({ name, route }: FoundRoute) {
  const fields = fieldsOf(route.headers ?? {}, `${name}: its headers`).map(([key, schema]) => {
    return [spelled(key), extension(schema)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

function bodyOf({ name, route }: FoundRoute): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (!('body' in route) || route.body === null || isAppRouteNoBody(route.body)) return {};
  const contentType = route.contentType ?? 'application/json';
  const schema = zodOf(route.body, `${name}: its body`);
  const required = !schema.safeParse(undefined).success;
  return { requestBody: { required, content: { [contentType]: { schema } } } };
}

function operationOf(found: FoundRoute): ZodOpenApiOperationObject {
  const { noun, route, notes } = found;
  return {
    operationId: notes.operationId,
    tags: [noun],
    ...(route.summary !== undefined && { summary: route.summary }),
    ...(route.description !== undefined && { description: route.description }),
    ...(route.deprecated && { deprecated: true }),
    ...(notes.extension && { 'x-extension': true }),
    requestParams: { path: pathOf(found), query: queryOf(found), header: headerOf(found) },
    ...bodyOf(found),
    responses: answersOf(found),
  };
}

/** The `paths` of the document: an operation for each route, in the contract's order. */
export function pathsOf(routes: FoundRoute[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const found of routes) {
    const path = found.route.path.replace(pathParameter, '{$1}');
    const method = found.route.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(found) };
  }
  return paths;
}
