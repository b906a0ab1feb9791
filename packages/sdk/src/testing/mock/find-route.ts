import type { MockOperation, Route } from './routes';
import { routes } from './routes';

/** The endpoint of a request, and the value of `:id` in its path. */
export interface RouteMatch {
  operation: MockOperation;
  route: Route;
  id: string;
}

/** The methods of a path without the method of the request; none if there is no such path. */
export interface NoRoute {
  allowed: readonly string[];
}

/** Finds the endpoint of a request, among all or among those of the API specification. */
export function findRoute(
  { method, path }: { method: string; path: string },
  hasExtensions: boolean,
): RouteMatch | NoRoute {
  const allowed: string[] = [];
  for (const [operation, route] of Object.entries<Route>(routes)) {
    if (route.extension && !hasExtensions) continue;
    const id = matchPath(route.path, path);
    if (id === null) continue;
    if (route.method === (method === 'HEAD' ? 'GET' : method))
      return { operation: operation as MockOperation, route, id };
    allowed.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  }
  return { allowed };
}

/** Returns the value of `:id`, empty for a template without one. Null when the path does not match. */
function matchPath(template: string, path: string): string | null {
  const pattern = new RegExp(`^${template.replace(':id', '([^/]+)')}$`);
  const match = pattern.exec(path);
  if (!match) return null;
  try {
    return decodeURIComponent(match[1] ?? '');
  } catch {
    return null;
  }
}
