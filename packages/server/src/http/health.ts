import { type Clock, systemClock } from '@tradepost/domain/kernel/context';
import { StoreFullError } from '@tradepost/domain/kernel/errors';
import type { ProblemInput } from '@tradepost/domain/problems';
import type { Express, RequestHandler } from 'express';
import type { Store } from '../stores/store';
import { rejectOtherMethods } from './not-found';
import { buildRedactedProblem } from './problems';
import { getRequestId } from './request-log';

/** How long the results of the checks that cost something are used again, in milliseconds. */
const cacheMs = 1_000;
/** How long a check may take, in milliseconds: longer than the store waits for a lock. */
const checkTimeoutMs = 3_000;

/** The part of a delivery engine that health checks need. */
export interface CheckedEngine {
  /** Returns whether its thread responds and polls for deliveries. May never settle if the thread hangs. */
  isAlive(): Promise<boolean>;
}

/** The result of one check. */
export interface Check {
  status: 'pass' | 'fail';
  /** What failed and what it means, without paths or secrets; only of a failed check. */
  detail?: string;
}

/** The results of all checks. */
export interface HealthReport {
  /** Whether all passed. */
  isReady: boolean;
  /** Why it is not ready, as a problem. */
  problem: (Omit<ProblemInput, 'code'> & { code: ProblemInput['code'] | null }) | null;
  checks: {
    /** The database file is in place, a change was committed to it, and there is space for more. */
    store: Check;
    /** The delivery engine responds; only in processes that have one. */
    engine?: Check;
    /** How long the oldest due delivery has been due, in seconds; 0 if none is due, null if unknown. */
    deliveries: Check & { oldestDueSeconds: number | null };
  };
}

/** What health checks need. */
export interface HealthOptions {
  store: Pick<Store, 'check' | 'checkWritable'> & {
    deliveries: Pick<Store['deliveries'], 'queueStatus'>;
  };
  /** The system clock by default. */
  clock?: Clock;
  /** Not ready if a delivery has been due for longer, in seconds. By default the age is only reported. */
  maxDueSeconds?: number | undefined;
}

const pass: Check = { status: 'pass' };
const fail = (detail: string): Check => ({ status: 'fail', detail });

/** Checks whether a process can do its work. One for each process: endpoints and metrics share its results. */
export class Health {
  readonly #options: HealthOptions;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { at: number; check: Promise<unknown> }>();
  #reading: Promise<HealthReport> | null = null;
  #engine: CheckedEngine | null = null;
  #isStopping = false;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether the process is shutting down. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on the engine is checked, too. */
  addEngine(engine: CheckedEngine): void {
    this.#engine = engine;
  }

  /** From now on the process is not ready. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Runs the checks. Never rejects. Those that write, query or wait run once a second at most, and all who ask while they run
   * get the same report.
   */
  read(): Promise<HealthReport> {
    this.#reading ??= this.#runChecks().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #runChecks(): Promise<HealthReport> {
    const engine = this.#engine;
    const [store, deliveries, engineCheck] = await Promise.all([
      this.#checkStore(),
      this.#checkDeliveries(),
      engine === null ? undefined : this.#cache('engine', () => this.#checkEngine(engine)),
    ]);
    const checks = { store, ...(engineCheck && { engine: engineCheck }), deliveries };
    const problem = this.#toProblem(checks);
    return { isReady: problem === null, problem, checks };
  }

  #toProblem(checks: HealthReport['checks']): HealthReport['problem'] {
    if (this.#isStopping) {
      return {
        code: 'shutting_down',
        detail: 'The service is shutting down and accepts no new requests.',
      };
    }
    const failed = Object.values(checks).find(({ status }) => status === 'fail');
    if (failed === undefined) return null;
    const code = failed === checks.store ? 'store_unavailable' : null;
    return { code, detail: failed.detail ?? '' };
  }

  async #checkStore(): Promise<Check> {
    const { store } = this.#options;
    try {
      // Cheap, so that a deleted file is noticed at once.
      await store.check();
    } catch {
      return fail('The database cannot be read, or its file was deleted or replaced.');
    }
    return this.#cache('store', async () => {
      try {
        const isInTime = await this.#withTimeout(store.checkWritable().then(() => true));
        if (isInTime === null) return fail('The database could not be written in time.');
        return pass;
      } catch (error) {
        if (error instanceof StoreFullError) return fail(error.message);
        return fail(
          'The database cannot be written: its disk is full or read-only, or it is locked.',
        );
      }
    });
  }

  async #checkEngine(engine: CheckedEngine): Promise<Check> {
    const isAlive = await this.#withTimeout(engine.isAlive().catch(() => false));
    return isAlive === true ? pass : fail('The delivery engine does not respond.');
  }

  async #checkDeliveries(): Promise<HealthReport['checks']['deliveries']> {
    const { store, maxDueSeconds = Number.POSITIVE_INFINITY } = this.#options;
    const oldestDueSeconds = await this.#cache('deliveries', async () => {
      try {
        const now = this.#clock.now();
        const { oldestDueAt } = await store.deliveries.queueStatus(now);
        return oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000;
      } catch {
        // The check of the store fails, too.
        return null;
      }
    });
    const isLate = oldestDueSeconds !== null && oldestDueSeconds > maxDueSeconds;
    const check = isLate ? fail('A delivery has been due for too long.') : pass;
    return { ...check, oldestDueSeconds };
  }

  /** Returns the result of the last second, or of the check in progress. */
  #cache<Result>(name: string, check: () => Promise<Result>): Promise<Result> {
    const now = this.#clock.elapsed();
    const known = this.#cached.get(name);
    if (known !== undefined && now - known.at < cacheMs) return known.check as Promise<Result>;
    const started = check();
    this.#cached.set(name, { at: now, check: started });
    return started;
  }

  /** Resolves to null after the timeout. */
  #withTimeout<Result>(work: Promise<Result>): Promise<Result | null> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.schedule(checkTimeoutMs, () => resolve(null));
      work.then(resolve, reject).finally(cancel);
    });
  }
}

/** A response of a health endpoint. */
export interface HealthResponse {
  status: 200 | 503;
  contentType: 'application/json; charset=utf-8' | 'application/problem+json';
  body: object;
}

/** Responds to `/livez` or `/readyz`. Source of problems: RFC 9457; one without a type of its own is `about:blank`. */
export async function respondToProbe(
  path: '/livez' | '/readyz',
  health: Health,
  requestId: string,
): Promise<HealthResponse> {
  const contentType = 'application/json; charset=utf-8';
  if (path === '/livez') return { status: 200, contentType, body: { status: 'ok' } };
  const { problem, checks } = await health.read();
  if (problem === null) return { status: 200, contentType, body: { status: 'ready', checks } };
  const { code, detail } = problem;
  const body =
    code === null
      ? { type: 'about:blank', title: 'Service Unavailable', status: 503, detail, requestId }
      : buildRedactedProblem({ code, detail }, requestId);
  return { status: 503, contentType: 'application/problem+json', body: { ...body, checks } };
}

/** The paths of the health endpoints. */
export const healthPaths = ['/livez', '/readyz'] as const;

/** The dependencies of the health endpoints. */
export interface HealthDependencies {
  health: Health;
}

/**
 * Adds `/livez` and `/readyz` for supervisors and load balancers. They need no API key and are not part of the contract.
 * `/livez` reports that the process responds, `/readyz` that it can do its work.
 */
export function addHealthEndpoints(app: Express, { health }: HealthDependencies): void {
  for (const path of healthPaths) {
    const respond: RequestHandler = async (_req, res) => {
      const { status, contentType, body } = await respondToProbe(path, health, getRequestId(res));
      // A probe must not keep its connection open, which would keep the process running.
      if (health.isStopping) res.set('Connection', 'close');
      if (status === 503) res.set('Retry-After', '1');
      res
        .status(status)
        .set('Content-Type', contentType)
        .send(Buffer.from(JSON.stringify(body)));
    };
    app.get(path, respond);
    rejectOtherMethods(app, path, ['GET', 'HEAD']);
  }
}
