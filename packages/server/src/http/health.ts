import type { Express, RequestHandler } from 'express';
import type { Store } from '../store';
import { sendProblem } from './problems';

/** What the health endpoints tell of. */
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
  app.get('/livez', live);
  app.get('/readyz', ready);
}
