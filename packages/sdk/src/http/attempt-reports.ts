import { getErrorMessage } from '../error-message';
import { TradepostError } from '../errors';
import type { TradepostHooks } from '../options';
import { type Attempt, createError, type OutgoingRequest, type RawResponse } from './attempt';
import { authorization, idempotencyKey } from './headers';
import { describe, type Instrumentation, identify } from './instrumentation';
import { redactHeaders } from './redact';

/** Reports what happens to the attempts of calls. Only `prepare` can fail a call. */
export class AttemptReports {
  readonly #instrumentation: Instrumentation;

  constructor(instrumentation: Instrumentation) {
    this.#instrumentation = instrumentation;
  }

  /**
   * Lets `onRequest` change the request of an attempt. Undefined without that hook.
   *
   * @throws {TradepostError} `hook_failed` when the hook threw, or set an invalid header.
   */
  prepare(attempt: Attempt, request: OutgoingRequest): Promise<OutgoingRequest> | undefined {
    const { hooks } = this.#instrumentation;
    return hooks.onRequest && runRequestHook(hooks, attempt, request);
  }

  /** Reports that an attempt is about to be sent. */
  sent(attempt: Attempt, { headers }: OutgoingRequest): void {
    this.#instrumentation.notify(attempt, 'debug', undefined, () => ({
      message: describeCall(attempt),
      fields: { headers: redactHeaders(headers) },
    }));
  }

  /** Reports that an attempt waits for the rate limit, and those after it. */
  waiting(attempt: Attempt, delayMs: number): void {
    this.#instrumentation.notify(attempt, 'info', undefined, () => ({
      message: `${describeCall(attempt)} waits ${Math.round(delayMs)} ms for the rate limit.`,
      fields: { delayMs },
    }));
  }

  /** Reports a response. */
  received(attempt: Attempt, response: RawResponse, durationMs: number): void {
    const { status, headers, requestId } = response;
    this.#instrumentation.notify(attempt, 'debug', 'onResponse', () => ({
      message: `${describeCall(attempt)} returned ${status}`,
      fields: { status, requestId, durationMs },
      more: { headers },
    }));
  }

  /** Reports that an attempt failed and will be retried. */
  retrying(attempt: Attempt, error: TradepostError, delayMs: number, durationMs: number): void {
    this.#instrumentation.notify(attempt, 'warn', 'onRetry', () => ({
      message: `${error.message} Retrying in ${Math.round(delayMs)} ms.`,
      fields: { ...describe(error), delayMs, durationMs },
      more: { error },
    }));
  }
}

async function runRequestHook(
  hooks: TradepostHooks,
  attempt: Attempt,
  request: OutgoingRequest,
): Promise<OutgoingRequest> {
  const { [authorization]: secret, ...open } = request.headers;
  try {
    const headers = new Headers(open);
    await hooks.onRequest?.({ ...identify(attempt), url: request.url, headers });
    const sent: Record<string, string> = secret === undefined ? {} : { [authorization]: secret };
    headers.forEach((value, name) => {
      sent[name] = value;
    });
    const key = open[idempotencyKey];
    if (key !== undefined) sent[idempotencyKey] = key;
    return { ...request, headers: sent };
  } catch (cause) {
    const what = `was not sent, because the onRequest hook threw: ${getErrorMessage(cause)}.`;
    throw createError(TradepostError, attempt, what, { code: 'hook_failed', cause });
  }
}

function describeCall({ method, path }: Attempt): string {
  return `${method} ${path}`;
}
