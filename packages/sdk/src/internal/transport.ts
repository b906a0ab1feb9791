import type { Page } from '@tradepost/contract/wire';
import { TradepostError } from '../errors/tradepost-error';
import { UnreadableAnswerError } from '../errors/unreadable-answer-error';
import type { Answer } from './answer';
import { type ApiCall, apiCall } from './api-call';
import { type Attempt, attemptError } from './attempt';
import type { Call } from './call';
import { composeRequest } from './compose-request';
import { exchange } from './exchange';
import { type ListCall, listCall } from './list-call';
import { abortError, outcomeOf } from './outcome';
import { readAnswer } from './read-answer';
import { readPage } from './read-body';
import { reasonOf } from './reason-of';
import { retryDelay } from './retry-delay';
import type { Runtime } from './runtime';
import { type Sender, senderOf } from './sender';
import type { Settings } from './settings';
import { Watch } from './watch';
import { withinTime } from './within-time';

/** Sends the client's calls: keeps time, tries again, and returns an answer or throws its error. */
export class Transport {
  /** The client's clock and dice. */
  readonly runtime: Runtime;
  readonly #settings: Settings;
  readonly #sender: () => Promise<Sender>;
  readonly #watch: Watch;

  constructor(settings: Settings, runtime: Runtime, sender = senderOf(settings.fetch)) {
    this.runtime = runtime;
    this.#settings = settings;
    this.#sender = sender;
    this.#watch = new Watch(settings.hooks, settings.logger);
  }

  /** Begins a call, and sends it until it succeeds or must be given up. */
  request<Result>(call: Call<Result>): ApiCall<Result> {
    return apiCall(this.answerTo(call));
  }

  /**
   * Sends a call until it succeeds or must be given up.
   *
   * @throws {TradepostError} the error of the last attempt.
   */
  async answerTo<Result>(call: Call<Result>): Promise<Answer<Result>> {
    const { method, path } = call.endpoint;
    const { blotOut } = this.#settings;
    const attempt: Attempt = { method, path, number: 0, mayBeDoneBefore: false, blotOut };
    try {
      return await this.#attempts(call, attempt);
    } catch (cause) {
      // Whatever else is thrown comes from arguments that no type check has seen.
      const error =
        cause instanceof TradepostError
          ? cause
          : attemptError(
              TradepostError,
              attempt,
              `cannot be sent as it is asked for: ${reasonOf(cause)}.`,
              {
                code: 'invalid_configuration',
                cause,
              },
            );
      this.#watch.failed(attempt, error);
      throw error;
    }
  }

  /** Makes a list of a call that answers with pages. Nothing is sent yet. */
  list<Item>(call: Omit<Call<Page<Item>>, 'read'>, query: { cursor?: string }): ListCall<Item> {
    // Plain JavaScript may pass null.
    return listCall(
      query?.cursor,
      (cursor) => this.answerTo({ ...call, query: { ...query, cursor }, read: readPage<Item> }),
      this.stuck(call.endpoint),
    );
  }

  /** Makes what makes the error for a page of a list whose cursor leads back to a page before. */
  stuck({ method, path }: Call<unknown>['endpoint']) {
    const { blotOut } = this.#settings;
    return ({ status, requestId }: Answer<unknown>): UnreadableAnswerError =>
      attemptError(
        UnreadableAnswerError,
        { method, path, number: 1, mayBeDoneBefore: false, blotOut },
        `was answered with ${status}, but with a cursor that leads back to a page before: asking on would never end. Report it to whoever runs the service.`,
        { code: 'unreadable_answer', status, requestId },
      );
  }

  async #attempts<Result>(call: Call<Result>, attempt: Attempt): Promise<Answer<Result>> {
    const { elapsed, now, random, wait } = this.runtime;
    const settings = this.#settings;
    const { path, request, limits } = composeRequest(call, settings);
    const signal = call.options?.signal;
    const begun = elapsed();
    const remaining = () => limits.deadline - (elapsed() - begun);
    attempt.path = path;

    for (;;) {
      if (signal?.aborted) throw abortError(attempt, signal.reason);
      attempt.number += 1;
      attempt.sent = undefined;
      const start = elapsed();
      const end = await withinTime(
        (stop) => exchange(request, attempt, this.#watch, this.#sender, stop),
        Math.min(limits.timeout, remaining()),
        signal,
      );
      if (end.kind === 'answer') {
        const { answer } = end;
        const { status, headers, requestId } = answer;
        this.#watch.answered(attempt, answer, elapsed() - start);
        if (status >= 200 && status < 300) {
          const data = readAnswer(answer, attempt, call, settings.validate);
          return { data, status, headers, requestId };
        }
      }
      const outcome = outcomeOf(end, { attempt, call, settings, now: now() });
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
      if (!retry.withoutEffect) attempt.mayBeDoneBefore = true;
      this.#watch.retrying(attempt, error, delay);
      await wait(delay, signal);
      // A timer may end late: what comes after the deadline is not sent at all.
      if (remaining() <= 0) throw error;
    }
  }
}
