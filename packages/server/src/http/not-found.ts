import { methodNotAllowed, routeNotFound } from '@tradepost/domain/problems';
import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { Express, RequestHandler } from 'express';

function listRoutePaths(router: AppRouter): AppRoute[] {
  return Object.values(router).flatMap((entry) =>
    isAppRoute(entry) ? [entry] : listRoutePaths(entry),
  );
}

/** Rejects methods that a path of the contract does not support with 405, and lists those that it does. */
export function rejectMethods(app: Express, contract: AppRouter): void {
  const methodsByPath = new Map<string, string[]>();
  for (const { path, method } of listRoutePaths(contract)) {
    methodsByPath.set(path, [
      ...(methodsByPath.get(path) ?? []),
      ...(method === 'GET' ? ['GET', 'HEAD'] : [method]),
    ]);
  }
  // A path without parameters comes first: `/v1/notifications/read` before `/v1/notifications/:id`.
  const paths = [...methodsByPath].sort(
    ([one], [other]) => Number(one.includes(':')) - Number(other.includes(':')),
  );
  for (const [path, methods] of paths) rejectOtherMethods(app, path, methods);
}

/** Rejects other methods of a path with 405, and lists those that it supports. */
export function rejectOtherMethods(app: Express, path: string, methods: readonly string[]): void {
  const allow = methods.join(', ');
  app.all(path, (req, res) => {
    if (req.method === 'OPTIONS') {
      res.set('Allow', allow).status(204).end();
      return;
    }
    throw methodNotAllowed(req.path, req.method, allow);
  });
}

/** Responds with 404 to every path that does not exist, and names the pages that are served. */
export function rejectPaths(served: { docs: boolean; console: boolean }): RequestHandler {
  const pages = [
    ...(served.docs ? ['/docs describes it'] : []),
    ...(served.console ? ['/console is a web page for it'] : []),
  ].join(', and ');
  return (req) => {
    throw routeNotFound(req.path, pages && `; ${pages}`);
  };
}
