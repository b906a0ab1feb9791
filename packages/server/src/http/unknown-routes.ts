import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { Express, RequestHandler } from 'express';
import { DomainError } from '../domain-error';

function routesOf(router: AppRouter): AppRoute[] {
  return Object.values(router).flatMap((entry) => (isAppRoute(entry) ? [entry] : routesOf(entry)));
}

/** Answers every method that a path of the contract does not take with 405 and what it does take. */
export function refuseMethods(app: Express, contract: AppRouter): void {
  const taken = new Map<string, string[]>();
  for (const { path, method } of routesOf(contract)) {
    taken.set(path, [
      ...(taken.get(path) ?? []),
      ...(method === 'GET' ? ['GET', 'HEAD'] : [method]),
    ]);
  }
  for (const [path, methods] of taken) refuseOtherMethods(app, path, methods);
}

/** Rejects every method that a path does not take with 405 and what it does take. */
export function refuseOtherMethods(app: Express, path: string, methods: readonly string[]): void {
  const allow = methods.join(', ');
  app.all(path, (req, res) => {
    res.set('Allow', allow);
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new DomainError(
      'method_not_allowed',
      `${req.path} does not take ${req.method}. It takes ${allow}.`,
    );
  });
}

/** Answers every path that the contract does not have with 404. */
export const refusePath: RequestHandler = (req) => {
  throw new DomainError(
    'route_not_found',
    `There is no ${req.path}. Every path begins with /v1: /v1/orders, /v1/notifications, /v1/webhooks, /v1/deliveries, /v1/events, /v1/account.`,
  );
};
