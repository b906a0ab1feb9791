import { TradepostError } from '../errors';
import type { AttemptHookEvent, TradepostHooks, TradepostLogger } from '../options';
import type { RawResponse } from './attempt';
import { type Attempt, createError, getErrorMessage, type OutgoingRequest } from './attempt';
import { authorization, idempotencyKey } from './headers';
import { redactHeaders } from './redact';
import type { Runtime } from './runtime';

/** The hooks that cannot change a call. */
type Hook = 'onResponse' | 'onRetry' | 'onError';

/** Reports to the caller's hooks and logger what the client does. Only `prepare` can fail a call. */
export class Instrumentation {
  readonly #hooks: TradepostHooks;
  readonly #logger: TradepostLogger;
  readonly #runtime: Pick<Runtime, 'elapsed'>;

  constructor(hooks: TradepostHooks, logger: TradepostLogger, runtime: Pick<Runtime, 'elapsed'>) {
    this.#hooks = hooks;
    this.#logger = logger;
    this.#runtime = runtime;
  }

  /**
   * Lets `onRequest` change the request of an attempt. Undefined without that hook.
   *
   * @throws {TradepostError} `hook_failed` when the hook threw, or set an invalid header.
   */
  prepare(attempt: Attempt, request: OutgoingRequest): Promise<OutgoingRequest> | undefined {
    return this.#hooks.onRequest && runRequestHook(this.#hooks, attempt, request);
  }

  /** Reports that an attempt is about to be sent. */
  sent(attempt: Attempt, { headers }: OutgoingRequest): void {
    this.#notify(attempt, 'debug', undefined, () => ({
      message: describeCall(attempt),
      fields: { headers: redactHeaders(headers) },
    }));
  }

  /** Reports that an attempt waits for the rate limit, and those after it. */
  waiting(attempt: Attempt, delayMs: number): void {
    this.#notify(attempt, 'info', undefined, () => ({
      message: `${describeCall(attempt)} waits ${Math.round(delayMs)} ms for the rate limit.`,
      fields: { delayMs },
    }));
  }

  /** Reports a response. */
  received(attempt: Attempt, response: RawResponse, durationMs: number): void {
    const { status, headers, requestId } = response;
    this.#notify(attempt, 'debug', 'onResponse', () => ({
      message: `${describeCall(attempt)} returned ${status}`,
      fields: { status, requestId, durationMs },
      more: { headers },
    }));
  }

  /** Reports that an attempt failed and will be retried. */
  retrying(attempt: Attempt, error: TradepostError, delayMs: number, durationMs: number): void {
    this.#notify(attempt, 'warn', 'onRetry', () => ({
      message: `${error.message} Retrying in ${Math.round(delayMs)} ms.`,
      fields: { ...describe(error), delayMs, durationMs },
      more: { error },
    }));
  }

  /** Reports that a call failed. */
  failed(attempt: Attempt, error: TradepostError): void {
    const durationMs = this.#runtime.elapsed() - attempt.startedAt;
    this.#notify(attempt, 'warn', 'onError', () => ({
      message: error.message,
      fields: { ...describe(error), durationMs },
      more: { error },
    }));
  }

  /**
   * Calls the logger, then the hook, which also gets objects that do not belong in a log. Usually neither
   * exists, so the report is built on demand.
   */
  #notify(
    attempt: Attempt,
    level: keyof TradepostLogger,
    name: Hook | undefined,
    report: () => { message: string; fields: object; more?: object },
  ): void {
    const hooks = this.#hooks as { [Name in Hook]?: (event: object) => unknown };
    if (!this.#logger[level] && !(name && hooks[name])) return;
    const { redact } = attempt;
    const { message, fields, more } = report();
    const common = redact({ ...identify(attempt), ...fields });
    runIsolated(() => writeEntry(this.#logger, level, redact(message), common));
    runIsolated(
      () => name && hooks[name]?.({ ...common, ...more }),
      (thrown) =>
        this.#notify(attempt, 'error', undefined, () => ({
          message: `The ${name} hook threw: ${getErrorMessage(thrown)}.`,
          fields: { hook: name },
        })),
    );
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

/** Writes an entry in the order that a logger takes: pino, known by its `bindings`, takes the fields first. */
function writeEntry(
  logger: TradepostLogger & { bindings?: unknown },
  level: keyof TradepostLogger,
  message: string,
  fields: object,
): unknown {
  const entry = typeof logger.bindings === 'function' ? [fields, message] : [message, fields];
  return logger[level]?.(...(entry as [string, object]));
}

/** Makes call IDs differ from those of other processes, for logs. */
const prefix = Math.random().toString(36).slice(2, 10);
let calls = 0;

function identify(attempt: Attempt): AttemptHookEvent {
  const { operation, method, route, path, number } = attempt;
  if (attempt.callId === undefined) {
    calls += 1;
    attempt.callId = `${prefix}-${calls}`;
  }
  return { operation, callId: attempt.callId, method, route, path, attempt: number };
}

function describeCall({ method, path }: Attempt): string {
  return `${method} ${path}`;
}

function describe({ code, status, requestId }: TradepostError): object {
  return { code, status, requestId };
}

/** Runs a function of the caller, and catches what it throws, synchronously or later. */
function runIsolated(
  run: () => unknown,
  caught: (thrown: unknown) => void = () => undefined,
): void {
  try {
    // Any thenable, such as a promise of another realm.
    Promise.resolve(run()).catch(caught);
  } catch (thrown) {
    caught(thrown);
  }
}
