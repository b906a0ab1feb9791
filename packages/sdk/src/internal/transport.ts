import { headerNames } from '@tradepost/contract/wire';
import type { Call } from './call';
import { composeRequest } from './compose-request';
import { abortError, outcomeOf } from './outcome';
import { retryDelay } from './retry-delay';
import type { Runtime } from './runtime';
import { sendOnce } from './send-once';
import { readLimits, type Settings } from './settings';

/** Sends the client's calls: keeps time, tries again, and returns a result or throws its error. */
export class Transport {
  readonly #settings: Settings;
  readonly #runtime: Runtime;

  constructor(settings: Settings, runtime: Runtime) {
    this.#settings = settings;
    this.#runtime = runtime;
  }

  /**
   * Sends a call until it succeeds or must be given up.
   *
   * @throws {TradepostError} the error of the last attempt.
   */
  async request<Result>(call: Call<Result>): Promise<Result> {
    const { method, path, options = {} } = call;
    const { signal } = options;
    const { timeout, deadline, maxRetries } = readLimits(options, this.#settings.limits);
    const request = composeRequest(call, this.#settings);
    // Had the first attempt succeeded unheard, a guarded repetition would fail on its change.
    const repeatable = !request.headers.has(headerNames.ifMatch);
    const start = this.#runtime.elapsed();
    const remaining = () => deadline - (this.#runtime.elapsed() - start);

    for (let number = 1; ; number += 1) {
      const attempt = { method, path, number };
      if (signal?.aborted) throw abortError(attempt, signal.reason);
      const limit = Math.min(timeout, remaining());
      const end = await sendOnce(request, this.#settings.fetch, limit, signal);
      const outcome = outcomeOf(end, attempt, call.read, this.#runtime.now());
      if (outcome.ok) return outcome.result;
      const { error, retry } = outcome;
      if (retry === null) throw error;
      const remainingMs = remaining();
      const failed = { ...retry, attempt: number, maxRetries, repeatable, remainingMs };
      const delay = retryDelay(failed, this.#runtime.random());
      if (delay === null) throw error;
      await this.#runtime.wait(delay, signal);
      // A timer may end late: what comes after the deadline is not sent at all.
      if (remaining() <= 0) throw error;
    }
  }
}
