import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { RouteNotes } from '../http/route-notes';

/** A route of a contract, with what is known of it beyond its schemas. */
export interface FoundRoute {
  /** The key of the contract that it was found under, however deep: `orders`. */
  noun: string;
  /** Method and path, as error messages name the route. */
  name: string;
  /** The route itself. */
  route: AppRoute;
  /** Its `metadata`. */
  notes: RouteNotes;
}

/** Every route of a contract, however deep, in the contract's order; throws when one has no notes. */
export function routesOf(router: AppRouter, underNoun?: string): FoundRoute[] {
  return Object.entries(router).flatMap(([key, entry]) => {
    const noun = underNoun ?? key;
    if (!isAppRoute(entry)) return routesOf(entry, noun);
    const name = `${entry.method} ${entry.path}`;
    if (entry.metadata === undefined)
      throw new TypeError(`${name} has no metadata: add RouteNotes`);
    return { noun, name, route: entry, notes: entry.metadata as RouteNotes };
  });
}
