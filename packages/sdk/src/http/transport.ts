import type { Page } from '@tradepost/contract/wire';
import { InvalidResponseError, TradepostError } from '../errors';
import { type ApiPromise, type ApiResponse, createApiPromise } from './api-promise';
import { type Attempt, createError, getErrorMessage } from './attempt';
import { idempotency } from './headers';
import { Instrumentation } from './instrumentation';
import { createPagePromise, type PagePromise } from './pagination';
import { buildRequest, type Call } from './request';
import type { ResolvedOptions } from './resolved-options';
import { parseResponse, readPage } from './response';
import { classifyAttempt, createAbortError, type Runtime, retryDelay } from './retry';
import { createSender, type Sender, sendAttempt, withTimeout } from './send';

/** What the client has learned about the service. Clients that `withOptions` creates share it. */
export interface ServiceTraits {
  /** Whether a response said that the service honours idempotency keys. */
  honoursKeys: boolean;
}

/** Sends the client's calls with timeouts and retries, and returns the response or throws the error. */
export class Transport {
  /** Clock, random numbers and timers of the client. */
  readonly runtime: Runtime;
  readonly #options: ResolvedOptions;
  readonly #sender: () => Promise<Sender>;
  readonly #instrumentation: Instrumentation;
  readonly #traits: ServiceTraits;

  constructor(
    options: ResolvedOptions,
    runtime: Runtime,
    traits: ServiceTraits = { honoursKeys: false },
    sender = createSender(options),
  ) {
    this.runtime = runtime;
    this.#options = options;
    this.#traits = traits;
    this.#sender = sender;
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
      return await this.#sendWithRetries(call, attempt);
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

  /** Creates a list from a call that returns pages. Nothing is sent yet. */
  list<Item>(call: Omit<Call<Page<Item>>, 'read'>, query: { cursor?: string }): PagePromise<Item> {
    // Plain JavaScript may pass null.
    return createPagePromise(
      query?.cursor,
      (cursor) => this.send({ ...call, query: { ...query, cursor }, read: readPage<Item> }),
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
        { code: 'contract_mismatch', status, headers, requestId, body: data },
      );
  }

  #createAttempt(
    { endpoint: { method, path }, operation }: Pick<Call<unknown>, 'endpoint' | 'operation'>,
    number: number,
  ): Attempt {
    const { redact } = this.#options;
    const startedAt = this.runtime.elapsed();
    return {
      operation,
      method,
      route: path,
      path,
      number,
      startedAt,
      mayHaveBeenApplied: false,
      redact,
    };
  }

  /** Whether a POST with the same key certainly has one effect. */
  #honoursKeys(): boolean {
    const { idempotency: mode } = this.#options;
    return mode === 'assume' || (mode === 'detect' && this.#traits.honoursKeys);
  }

  async #sendWithRetries<Result>(
    call: Call<Result>,
    attempt: Attempt,
  ): Promise<ApiResponse<Result>> {
    const { elapsed, now, random, wait } = this.runtime;
    const options = this.#options;
    const { path, request, limits } = buildRequest(call, options);
    const signal = call.options?.signal;
    const remaining = () => limits.deadline - (elapsed() - attempt.startedAt);
    attempt.path = path;

    for (;;) {
      if (signal?.aborted) throw createAbortError(attempt, signal.reason);
      attempt.number += 1;
      attempt.sent = undefined;
      const attemptStartedAt = elapsed();
      const result = await withTimeout(
        (stop) =>
          sendAttempt(
            request,
            attempt,
            this.#instrumentation,
            this.#sender,
            options.authorize,
            stop,
          ),
        Math.min(limits.timeout, remaining()),
        signal,
      );
      if (result.kind === 'response') {
        const { response } = result;
        const { status, headers, requestId } = response;
        if (headers.get(idempotency) !== null) this.#traits.honoursKeys = true;
        this.#instrumentation.received(attempt, response, elapsed() - attemptStartedAt);
        if (status >= 200 && status < 300) {
          const data = parseResponse(response, attempt, call, options.validate);
          return { data, status, headers, requestId };
        }
      }
      const honoursKeys = this.#honoursKeys();
      const outcome = classifyAttempt(result, { attempt, call, options, honoursKeys, now: now() });
      if ('data' in outcome) return outcome;
      const { error, retry } = outcome;
      const delay = retryDelay(
        {
          ...retry,
          attempt: attempt.number,
          maxRetries: limits.maxRetries,
          remainingMs: remaining(),
        },
        random(),
      );
      if (delay === null) throw error;
      if (!retry.notApplied && attempt.method !== 'GET') attempt.mayHaveBeenApplied = true;
      this.#instrumentation.retrying(attempt, error, delay, elapsed() - attemptStartedAt);
      await wait(delay, signal);
      // A timer may fire late; nothing is sent after the deadline.
      if (remaining() <= 0) throw error;
    }
  }
}
