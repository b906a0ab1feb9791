import { getErrorMessage } from '../error-message';
import type { TradepostError } from '../errors';
import type { AttemptHookEvent, TradepostHooks, TradepostLogger } from '../options';
import type { Attempt } from './attempt';
import type { Runtime } from './runtime';

/** The hooks that cannot change a call. */
type Hook = 'onResponse' | 'onRetry' | 'onError';

/**
 * Reports to the caller's hooks and logger what the client does. What it reports of attempts is in `attempt-reports.ts`, which is
 * loaded with the first call.
 */
export class Instrumentation {
  /** The caller's hooks. */
  readonly hooks: TradepostHooks;
  readonly #logger: TradepostLogger;
  readonly #runtime: Pick<Runtime, 'elapsed'>;

  constructor(hooks: TradepostHooks, logger: TradepostLogger, runtime: Pick<Runtime, 'elapsed'>) {
    this.hooks = hooks;
    this.#logger = logger;
    this.#runtime = runtime;
  }

  /** Reports that a call failed. */
  failed(attempt: Attempt, error: TradepostError): void {
    const durationMs = this.#runtime.elapsed() - attempt.startedAt;
    this.notify(attempt, 'warn', 'onError', () => ({
      message: error.message,
      fields: { ...describe(error), durationMs },
      more: { error },
    }));
  }

  /**
   * Calls the logger, then the hook, which also gets objects that do not belong in a log. Usually neither
   * exists, so the report is built on demand.
   */
  notify(
    attempt: Attempt,
    level: keyof TradepostLogger,
    name: Hook | undefined,
    report: () => { message: string; fields: object; more?: object },
  ): void {
    const hooks = this.hooks as { [Name in Hook]?: (event: object) => unknown };
    if (!this.#logger[level] && !(name && hooks[name])) return;
    const { redact } = attempt;
    const { message, fields, more } = report();
    const common = redact({ ...identify(attempt), ...fields });
    runIsolated(() => writeEntry(this.#logger, level, redact(message), common));
    runIsolated(
      () => name && hooks[name]?.({ ...common, ...more }),
      (thrown) =>
        this.notify(attempt, 'error', undefined, () => ({
          message: `The ${name} hook threw: ${getErrorMessage(thrown)}.`,
          fields: { hook: name },
        })),
    );
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

/** Names the call and the attempt, as each hook and each entry of the log does. */
export function identify(attempt: Attempt): AttemptHookEvent {
  const { operation, method, route, path, number } = attempt;
  if (attempt.callId === undefined) {
    calls += 1;
    attempt.callId = `${prefix}-${calls}`;
  }
  return { operation, callId: attempt.callId, method, route, path, attempt: number };
}

/** Describes an error for a log. */
export function describe({ code, status, requestId }: TradepostError): object {
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
