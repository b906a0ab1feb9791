import type { Express, RequestHandler } from 'express';
import type { Store } from '../store';
import { sendProblem } from './problems';
import { refuseOtherMethods } from './unknown-routes';

/** What the health endpoints need. */
export interface HealthDependencies {
  store: Pick<Store, 'check'>;
  /** Whether the service has begun to shut down and takes no new requests. */
  isStopping: () => boolean;
}

/**
 * Adds `/livez` and `/readyz` for supervisors and load balancers: they need no API key and are no part of the
 * contract. `/livez` says that the process responds; `/readyz` that it can do its work.
 */
export function addHealthEndpoints(app: Express, { store, isStopping }: HealthDependencies): void {
  app.use(['/livez', '/readyz'], (_req, res, next) => {
    // A probe must not keep the connection, and with it the process.
    if (isStopping()) res.set('Connection', 'close');
    next();
  });
  const live: RequestHandler = (_req, res) => {
    res.json({ status: 'ok' });
  };
  const ready: RequestHandler = async (_req, res) => {
    if (isStopping()) {
      return sendProblem(res, {
        code: 'shutting_down',
        detail: 'The service is shutting down and takes no new requests.',
      });
    }
    // What it throws becomes a 503 where all errors become responses.
    await store.check();
    res.json({ status: 'ready' });
  };
  for (const [path, check] of [
    ['/livez', live],
    ['/readyz', ready],
  ] as const) {
    app.get(path, check);
    refuseOtherMethods(app, path, ['GET', 'HEAD']);
  }
}
