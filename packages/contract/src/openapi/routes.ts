import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import * as z from 'zod';
import type { RouteMetadata } from '../http/routes';

/** A route of a contract, with its metadata. */
export interface ListedRoute {
  /** The top-level key of the contract under which the route was found: `orders`. */
  noun: string;
  /** Method and path, as error messages name the route. */
  name: string;
  /** The route itself. */
  route: AppRoute;
  /** Its `metadata`. */
  metadata: RouteMetadata;
}

/**
 * Lists every route of a contract, at any depth, in the order of the contract.
 *
 * @throws {TypeError} when a route has no metadata.
 */
export function listRoutes(router: AppRouter, underNoun?: string): ListedRoute[] {
  return Object.entries(router).flatMap(([key, entry]) => {
    const noun = underNoun ?? key;
    if (!isAppRoute(entry)) return listRoutes(entry, noun);
    const name = `${entry.method} ${entry.path}`;
    if (entry.metadata === undefined)
      throw new TypeError(`${name} has no metadata: add RouteMetadata`);
    return { noun, name, route: entry, metadata: entry.metadata as RouteMetadata };
  });
}

/**
 * Returns an entry of the contract as a zod schema.
 *
 * @throws {TypeError} when it is not one: OpenAPI can be generated from zod schemas only.
 */
export function asZodSchema(entry: unknown, where: string): z.ZodType {
  if (entry instanceof z.ZodType) return entry;
  throw new TypeError(`${where} is not a zod schema: OpenAPI cannot be generated from it`);
}

/**
 * Lists the fields of an entry of the contract, each a zod schema.
 *
 * @throws {TypeError} when it is not an object of zod schemas.
 */
export function schemaFields(entry: unknown, where: string): [name: string, schema: z.ZodType][] {
  const shape: unknown = entry instanceof z.ZodObject ? entry.shape : entry;
  if (typeof shape !== 'object' || shape === null || shape instanceof z.ZodType) {
    throw new TypeError(`${where} has no fields: OpenAPI cannot be generated from it`);
  }
  return Object.entries(shape).map(([name, field]) => [
    name,
    asZodSchema(field, `${where}, ${name},`),
  ]);
}

/** Marks a parameter as an extension: the API specification does not have it. */
export function markExtension(schema: z.ZodType): z.ZodType {
  return schema.meta({ param: { 'x-extension': true } });
}
