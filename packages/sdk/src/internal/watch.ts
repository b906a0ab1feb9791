import { TradepostError } from '../errors/tradepost-error';
import { type Attempt, attemptError } from './attempt';
import type { IncomingAnswer } from './attempt-end';
import { redactHeaders } from './blot-out';
import type { OutgoingRequest } from './compose-request';
import { authorization, idempotencyKey } from './header-names';
import type { TradepostHooks } from './hooks';
import type { TradepostLogger } from './logger';
import { reasonOf } from './reason-of';

/** The hooks that only watch. */
type Hook = 'onResponse' | 'onRetry' | 'onError';

/** Tells the caller's hooks and logger what the client does. Only `prepare` can fail a call. */
export class Watch {
  readonly #hooks: TradepostHooks;
  readonly #logger: TradepostLogger;

  constructor(hooks: TradepostHooks, logger: TradepostLogger) {
    this.#hooks = hooks;
    this.#logger = logger;
  }

  /**
   * Lets `onRequest` have its say in what an attempt sends; undefined when there is none.
   *
   * @throws {TradepostError} `hook_failed` when it threw, or set what cannot be sent.
   */
  prepare(attempt: Attempt, request: OutgoingRequest): Promise<OutgoingRequest> | undefined {
    return this.#hooks.onRequest && ask(this.#hooks, attempt, request);
  }

  /** An attempt is about to be sent. */
  sent(attempt: Attempt, { headers }: OutgoingRequest): void {
    this.#tell(attempt, 'debug', undefined, () => ({
      message: nameOf(attempt),
      fields: { headers: redactHeaders(headers) },
    }));
  }

  /** An answer came. */
  answered(attempt: Attempt, answer: IncomingAnswer, durationMs: number): void {
    const { status, headers, requestId } = answer;
    this.#tell(attempt, 'debug', 'onResponse', () => ({
      message: `${nameOf(attempt)} was answered with ${status}`,
      fields: { status, requestId, durationMs },
      more: { headers },
    }));
  }

  /** An attempt failed, and is to be repeated. */
  retrying(attempt: Attempt, error: TradepostError, delayMs: number): void {
    this.#tell(attempt, 'warn', 'onRetry', () => ({
      message: `${error.message} Trying again in ${Math.round(delayMs)} ms.`,
      fields: { ...describe(error), delayMs },
      more: { error },
    }));
  }

  /** A call failed for good. */
  failed(attempt: Attempt, error: TradepostError): void {
    this.#tell(attempt, 'warn', 'onError', () => ({
      message: error.message,
      fields: describe(error),
      more: { error },
    }));
  }

  /**
   * Tells the logger, then the hook, which also gets what a log has no use for. Mostly nobody listens,
   * and then nothing is put together.
   */
  #tell(
    attempt: Attempt,
    level: keyof TradepostLogger,
    name: Hook | undefined,
    news: () => { message: string; fields: object; more?: object },
  ): void {
    const hooks = this.#hooks as { [Name in Hook]?: (heard: object) => unknown };
    if (!this.#logger[level] && !(name && hooks[name])) return;
    const { method, path, number, blotOut } = attempt;
    const { message, fields, more } = news();
    const about = blotOut({ method, path, attempt: number, ...fields });
    quietly(() => this.#logger[level]?.(blotOut(message), about));
    quietly(
      () => name && hooks[name]?.({ ...about, ...more }),
      (thrown) =>
        this.#tell(attempt, 'error', undefined, () => ({
          message: `The ${name} hook threw: ${reasonOf(thrown)}.`,
          fields: { hook: name },
        })),
    );
  }
}

async function ask(
  hooks: TradepostHooks,
  attempt: Attempt,
  request: OutgoingRequest,
): Promise<OutgoingRequest> {
  const { [authorization]: secret, ...open } = request.headers;
  try {
    const headers = new Headers(open);
    const { method, path, number } = attempt;
    await hooks.onRequest?.({ method, path, attempt: number, url: request.url, headers });
    const sent: Record<string, string> = secret === undefined ? {} : { [authorization]: secret };
    headers.forEach((value, name) => {
      sent[name] = value;
    });
    const key = open[idempotencyKey];
    if (key !== undefined) sent[idempotencyKey] = key;
    return { ...request, headers: sent };
  } catch (cause) {
    const what = `was not sent, since the onRequest hook threw: ${reasonOf(cause)}.`;
    throw attemptError(TradepostError, attempt, what, { code: 'hook_failed', cause });
  }
}

function nameOf({ method, path }: Attempt): string {
  return `${method} ${path}`;
}

function describe({ code, status, requestId }: TradepostError): object {
  return { code, status, requestId };
}

/** Runs what belongs to the caller, and keeps what it throws, now or later, from everybody else. */
function quietly(run: () => unknown, caught: (thrown: unknown) => void = () => undefined): void {
  try {
    // Any thenable, such as a promise of another realm.
    Promise.resolve(run()).catch(caught);
  } catch (thrown) {
    caught(thrown);
  }
}
