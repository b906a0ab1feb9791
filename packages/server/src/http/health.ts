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
/** How long a check may take, in milliseconds: longer than the store waits for a lock, and less than probes wait. */
const checkTimeoutMs = 3_000;
/**
 * How long a process stays ready while a shared database is unavailable, or while its engine cannot record results, in milliseconds:
 * longer than a restart or a failover of the database usually takes.
 */
const outageGraceMs = 10_000;
/** How long the engine may not respond until the process counts as hung, in milliseconds. */
const hungAfterMs = 60_000;

/** The part of a delivery engine that health checks need. */
export interface CheckedEngine {
  /** Returns whether its thread responds and polls for deliveries. May never settle if the thread hangs. */
  isAlive(): Promise<boolean>;
  /** Returns for how long the store has kept it from leasing deliveries or from recording results, in milliseconds. */
  getBlockedMs(): number;
}

/** The result of one check. */
export interface Check {
  /** `warn` for what fails, but does not make the process unready yet. */
  status: 'pass' | 'warn' | 'fail';
  /** What failed and what it means, without paths or secrets; only of a check that does not pass. */
  detail?: string;
}

/** What a 503 says: a problem, without a code if the contract has none that fits. */
interface HealthProblem {
  code: ProblemInput['code'] | null;
  detail: string;
}

/** The results of all checks. */
export interface HealthReport {
  /** Whether none failed. */
  isReady: boolean;
  /** Why it is not ready. */
  problem: HealthProblem | null;
  checks: {
    /** The database file is in place, a change was committed to it, and there is space for more. */
    store: Check;
    /** The delivery engine responds, and can lease deliveries and record results; only in processes that have one. */
    engine?: Check;
    /** How long the oldest due delivery has been due, in seconds; 0 if none is due, null if unknown. */
    deliveries: Check & { oldestDueSeconds: number | null };
  };
}

/** What health checks need. */
export interface HealthOptions {
  store: Pick<Store, 'check' | 'checkWritable' | 'isShared'> & {
    deliveries: Pick<Store['deliveries'], 'queueStatus'>;
  };
  /** The system clock by default. */
  clock?: Clock;
  /** Not ready if a delivery has been due for longer, in seconds. By default the age is only reported. */
  maxDueSeconds?: number | undefined;
}

const pass: Check = { status: 'pass' };
const fail = (detail: string): Check => ({ status: 'fail', detail });
/** Returns the result of a check that has failed for a while, in milliseconds, if it may fail for a short time. */
const failAfterGrace = (detail: string, failingMs: number): Check =>
  failingMs < outageGraceMs ? { status: 'warn', detail } : fail(detail);

/** Checks whether a process can do its work. One for each process: endpoints and metrics share its results. */
export class Health {
  readonly #options: HealthOptions;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { at: number; check: Promise<unknown> }>();
  #reading: Promise<HealthReport> | null = null;
  #engine: CheckedEngine | null = null;
  /** Since when the store has failed, and the engine has not responded, as seen by the checks: times of `Clock.elapsed`. */
  #storeFailsSince: number | null = null;
  #engineHangsSince: number | null = null;
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

  /** Returns whether a restart would not help: false once the engine has not responded for a minute. Never rejects. */
  async isLive(): Promise<boolean> {
    await this.#readEngine();
    const since = this.#engineHangsSince;
    return this.#isStopping || since === null || this.#clock.elapsed() - since < hungAfterMs;
  }

  async #runChecks(): Promise<HealthReport> {
    const [store, deliveries, engineCheck] = await Promise.all([
      this.#checkStore(),
      this.#checkDeliveries(),
      this.#readEngine(),
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
    const startedAt = this.#clock.elapsed();
    const late = 'The database does not respond in time.';
    const fault = await this.#withTimeout(this.#findStoreFault(), late);
    if (fault === null) {
      this.#storeFailsSince = null;
      return pass;
    }
    this.#storeFailsSince ??= startedAt;
    if (!this.#options.store.isShared) return fail(fault);
    return failAfterGrace(fault, this.#clock.elapsed() - this.#storeFailsSince);
  }

  /** Returns what is wrong with the store; null if nothing is. */
  async #findStoreFault(): Promise<string | null> {
    const { store } = this.#options;
    try {
      // Cheap, so that a deleted file is noticed at once.
      await store.check();
    } catch {
      return 'The database cannot be read, or its file was deleted or replaced.';
    }
    return this.#cache('store', async () => {
      try {
        await store.checkWritable();
        return null;
      } catch (error) {
        if (error instanceof StoreFullError) return error.message;
        return 'The database cannot be written: its disk is full or read-only, or it is locked.';
      }
    });
  }

  async #readEngine(): Promise<Check | undefined> {
    const engine = this.#engine;
    return engine === null ? undefined : this.#cache('engine', () => this.#checkEngine(engine));
  }

  async #checkEngine(engine: CheckedEngine): Promise<Check> {
    const isAlive = await this.#withTimeout(
      engine.isAlive().catch(() => false),
      false,
    );
    if (!isAlive) {
      this.#engineHangsSince ??= this.#clock.elapsed();
      return fail('The delivery engine does not respond.');
    }
    this.#engineHangsSince = null;
    const blockedMs = engine.getBlockedMs();
    if (blockedMs === 0) return pass;
    return failAfterGrace(
      'Deliveries cannot be leased, or their results cannot be recorded: the database is unavailable, locked or full.',
      blockedMs,
    );
  }

  async #checkDeliveries(): Promise<HealthReport['checks']['deliveries']> {
    const { store, maxDueSeconds = Number.POSITIVE_INFINITY } = this.#options;
    const oldestDueSeconds = await this.#cache('deliveries', async () => {
      try {
        const now = this.#clock.now();
        const status = await this.#withTimeout(store.deliveries.queueStatus(now), null);
        if (status === null) return null;
        const { oldestDueAt } = status;
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

  /** Resolves to `late` after the timeout. */
  #withTimeout<Result, Late>(work: Promise<Result>, late: Late): Promise<Result | Late> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.schedule(checkTimeoutMs, () => resolve(late));
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
  const respondWith503 = ({ code, detail }: HealthProblem, members: object): HealthResponse => {
    const body =
      code === null
        ? { type: 'about:blank', title: 'Service Unavailable', status: 503, detail, requestId }
        : buildRedactedProblem({ code, detail }, requestId);
    return { status: 503, contentType: 'application/problem+json', body: { ...body, ...members } };
  };
  if (path === '/livez') {
    if (await health.isLive()) return { status: 200, contentType, body: { status: 'ok' } };
    const detail = 'The delivery engine has not responded for a minute.';
    return respondWith503({ code: null, detail }, {});
  }
  const { problem, checks } = await health.read();
  if (problem === null) return { status: 200, contentType, body: { status: 'ready', checks } };
  return respondWith503(problem, { checks });
}

/** The paths of the health endpoints. */
export const healthPaths = ['/livez', '/readyz'] as const;

/** The dependencies of the health endpoints. */
export interface HealthDependencies {
  health: Health;
}

/**
 * Adds `/livez` and `/readyz` for supervisors and load balancers. They need no API key and are not part of the contract.
 * `/livez` reports that the process responds and does not hang, `/readyz` that it can do its work.
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
