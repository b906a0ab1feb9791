import type { Page } from '@tradepost/contract/wire';
import { getErrorMessage } from '../error-message';
import { InvalidResponseError, TimeoutError, TradepostError } from '../errors';
import type { RequestOptions } from '../options';
import { type ApiPromise, type ApiResponse, createApiPromise } from './api-promise';
import { type Attempt, createAbortError, createError } from './attempt';
import { limitBody, readPage } from './envelope';
import { Instrumentation } from './instrumentation';
import { createPagePromise, type PagePromise } from './pagination';
import { buildRequest, type Call } from './request';
import { type Limits, type ResolvedOptions, resolveLimits } from './resolved-options';
import type { Learned, RetryLoop } from './retry-loop';
import type { Runtime } from './runtime';
import { withTimeout } from './with-timeout';

/** Loads the file that sends calls. */
type Load = () => Promise<Pick<typeof import('./retry-loop'), 'createRetryLoop'>>;

/**
 * Starts the client's calls. What sends them, with timeouts and retries, is a file of its own, which is loaded
 * with the first call: a program starts faster, and a page loads less before it needs it.
 */
export class Transport {
  /** Clock, random numbers and timers of the client. */
  readonly runtime: Runtime;
  /** Waits before a request is sent again. */
  readonly wait: Runtime['wait'];
  readonly #options: ResolvedOptions;
  readonly #learned: Learned;
  readonly #load: Load;
  readonly #instrumentation: Instrumentation;
  #retryLoop: RetryLoop | undefined;

  constructor(
    options: ResolvedOptions,
    runtime: Runtime,
    learned: Learned = { service: { honoursKeys: false }, key: {} },
    load: Load = () => import('./retry-loop'),
  ) {
    this.runtime = runtime;
    this.wait = options.wait ?? runtime.wait;
    this.#options = options;
    this.#learned = learned;
    this.#load = load;
    this.#instrumentation = new Instrumentation(options.hooks, options.logger, runtime);
  }

  /** Starts a call, and retries it until it succeeds or fails finally. */
  request<Result>(call: Call<Result>): ApiPromise<Result> {
    return createApiPromise(this.send(call));
  }

  /**
   * Sends a call, and retries it until it succeeds or fails finally.
   *
   * @throws {TradepostError} the error of the last attempt.
   */
  async send<Result>(call: Call<Result>): Promise<ApiResponse<Result>> {
    const attempt = this.#createAttempt(call, 0);
    try {
      const built = buildRequest(call, this.#options);
      attempt.path = built.path;
      const signal = call.options?.signal;
      if (signal?.aborted) throw createAbortError(attempt, signal.reason);
      this.#retryLoop ??= await this.#loadRetryLoop(attempt, built.limits, signal);
      return await this.#retryLoop(call, built, attempt);
    } catch (cause) {
      // Other errors come from arguments of the wrong type.
      const error =
        cause instanceof TradepostError
          ? cause
          : createError(TradepostError, attempt, `cannot be sent: ${getErrorMessage(cause)}.`, {
              code: 'invalid_configuration',
              cause,
            });
      this.#instrumentation.failed(attempt, error);
      throw error;
    }
  }

  /** Returns how often a method may repeat what takes several calls, and how it waits before. */
  getRepeats(options: RequestOptions | undefined) {
    const { maxRetries } = resolveLimits(options, this.#options.limits);
    return { maxRetries, wait: (milliseconds: number) => this.wait(milliseconds, options?.signal) };
  }

  /** Creates a list from a call that returns pages. Nothing is sent yet. */
  list<Item>(
    call: Omit<Call<Page<Item>>, 'read'>,
    query: { cursor?: string | undefined },
  ): PagePromise<Item> {
    return this.listPages({ ...call, read: readPage<Item> }, query);
  }

  /** The same for pages that have more than their items. */
  listPages<Item, OnePage extends Page<Item>>(
    call: Call<OnePage>,
    query: { cursor?: string | undefined; count?: number | undefined },
  ): PagePromise<Item, OnePage> {
    // Plain JavaScript may pass null.
    const first = query?.cursor;
    const firstCall = { ...call, query };
    return createPagePromise(
      first,
      (cursor) => {
        // The whole list is counted with its first page.
        const rest = { ...query, cursor, count: undefined };
        return this.send(cursor === first ? firstCall : { ...firstCall, query: rest });
      },
      this.loopErrorFactory(call),
    );
  }

  /** Returns a function that creates the error for a page whose cursor leads back to an earlier page. */
  loopErrorFactory(call: Pick<Call<unknown>, 'endpoint' | 'operation'>) {
    return ({ data, status, headers, requestId }: ApiResponse<unknown>): InvalidResponseError =>
      createError(
        InvalidResponseError,
        this.#createAttempt(call, 1),
        `returned ${status}, but its cursor leads back to an earlier page. Report it to the operator of the service.`,
        { code: 'contract_mismatch', status, headers, requestId, body: limitBody(data) },
      );
  }

  #createAttempt(
    { endpoint: { method, path }, operation }: Pick<Call<unknown>, 'endpoint' | 'operation'>,
    number: number,
  ): Attempt {
    return {
      operation,
      method,
      route: path,
      path,
      number,
      startedAt: this.runtime.elapsed(),
      mayHaveBeenApplied: false,
      redact: this.#options.redact,
    };
  }

  /** Loads the file that sends calls, within the limits of the call. The next call tries again after a failure. */
  async #loadRetryLoop(
    attempt: Attempt,
    { timeout, deadline }: Limits,
    signal: AbortSignal | undefined,
  ): Promise<RetryLoop> {
    const load = () =>
      this.#load().then(
        ({ createRetryLoop }) => ({ kind: 'loaded', createRetryLoop }) as const,
        (cause: unknown) => ({ kind: 'failed', cause }) as const,
      );
    const loaded = await withTimeout(load, Math.min(timeout, deadline), signal);
    switch (loaded.kind) {
      case 'loaded':
        return loaded.createRetryLoop(
          this.#options,
          this.runtime,
          this.#instrumentation,
          this.#learned,
        );
      case 'aborted':
        throw createAbortError(attempt, loaded.reason);
      case 'timeout': {
        const what = `was not sent, because a file of @tradepost/sdk was not loaded within ${loaded.after} ms.`;
        throw createError(TimeoutError, attempt, what, { code: 'timeout' });
      }
      default: {
        const { cause } = loaded;
        const what = `was not sent, because a file of @tradepost/sdk could not be loaded: ${getErrorMessage(cause)}. Check how this program is bundled and deployed.`;
        throw createError(TradepostError, attempt, what, { code: 'load_failed', cause });
      }
    }
  }
}
