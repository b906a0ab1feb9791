import type { Express, RequestHandler } from 'express';
import type { Store } from '../stores/store';
import { rejectOtherMethods } from './not-found';
import { sendProblem } from './problems';

/** The paths of the health endpoints. */
export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** The dependencies of the health endpoints. */
export interface HealthDependencies {
  store: Pick<Store, 'check'>;
  /** Whether the server is shutting down and rejects new requests. */
  isStopping: () => boolean;
}

/**
 * Adds `/livez` and `/readyz` for supervisors and load balancers. They need no API key and are not part of the contract.
 * `/livez` reports that the process responds, `/readyz` that it can serve requests.
 */
export function addHealthEndpoints(app: Express, { store, isStopping }: HealthDependencies): void {
  app.use([...healthPaths], (_req, res, next) => {
    // A probe must not keep its connection open, which would keep the process running.
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
        detail: 'The service is shutting down and accepts no new requests.',
      });
    }
    // The error handler converts what it throws to a 503.
    await store.check();
    res.json({ status: 'ready' });
  };
  for (const [path, check] of [
    ['/livez', live],
    ['/readyz', ready],
  ] as const) {
    app.get(path, check);
    rejectOtherMethods(app, path, ['GET', 'HEAD']);
  }
}
