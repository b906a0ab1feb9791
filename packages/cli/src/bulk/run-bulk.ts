import { isTradepostError } from '@tradepost/sdk';
import { createOutageGate, isAway } from '../client/outage';
import { createOutagePolicy } from '../client/outage-report';
import type { CliContext } from '../context';
import { BulkError, CliError, type Failure, type Hint } from '../errors/cli-error';
import { getExitReason, isLimited } from '../errors/exit-codes';
import { printNotice } from '../output/print';
import { createProgress } from '../output/progress';
import { formatCount, formatNumber } from '../output/text';
import { formatHints } from '../report/hint';
import type { OutcomeKind } from './outcome';
import { createRateLimiter, runPool } from './pool';
import { createShutdownGrace, finishingNotice } from './shutdown-grace';

/** Whether every other item would fail with the same error. */
function failsForAll(error: unknown): boolean {
  // A service that still has too many requests after all retries.
  if (isLimited(error)) return true;
  // A wrong base URL.
  if (isTradepostError(error) && error.code === 'redirected') return true;
  return ['usage', 'auth', 'unreachable', 'interrupted'].includes(getExitReason(error));
}

export interface BulkResult {
  outcome: OutcomeKind;
  /** Why it failed or was skipped; null otherwise. */
  error: unknown;
}

/** What the work on an item sends its requests with. */
export interface ItemRequests {
  /**
   * Makes an attempt, and another one after each outage or rate limit. All items wait meanwhile.
   *
   * @param attempt never rejects. Its signal aborts when the shutdown grace period is over.
   * @param canRepeat whether another attempt has no second effect. @default always
   * @returns the last result
   */
  send<Result extends { error: unknown }>(
    attempt: (signal: AbortSignal) => Promise<Result>,
    canRepeat?: (error: unknown) => boolean,
  ): Promise<Result>;
  /** Shows that some parts of an item are done: see `parts`. */
  progress(parts: number): void;
}

export interface BulkTask {
  /** The items, in the order in which they are processed. */
  ids: readonly string[];
  concurrency: number;
  /** Milliseconds between two starts. @default 0 */
  intervalMs?: number | undefined;
  /** No other item is started after so many failures. @default Infinity */
  maxFailures?: number;
  /** How long to retry while the service is away, in seconds. */
  reconnectTimeout: number;
  /** Whether the service was reachable before: it is worth waiting for. @default false */
  hadContact?: boolean;
  /** Which errors are waited for. @default those that say that the service is away */
  isRetryable?: (error: unknown) => boolean;
  /** How many parts all items have, if work on one takes several requests. Progress counts them. */
  parts?: number;
  /** What a person needs after an interruption. */
  resumeHints?: readonly Hint[];
  /** Whether to show progress. Not for commands that print results as they arrive. */
  showProgress: boolean;
  /** How long requests in flight may take after an interruption, in milliseconds. @default 10000 */
  shutdownGraceMs?: number;
  /** Processes one item. What it throws ends the run. */
  work: (id: string, requests: ItemRequests) => Promise<BulkResult>;
}

export interface BulkRun {
  /** The items that failed or were skipped, in the order of the items. */
  failures: Failure[];
  notAttempted: readonly string[];
  /** What ended the run early; null if nothing did. */
  stoppedBy: unknown;
}

/**
 * Runs a bulk command. It waits while the service is away, and continues after a failure, unless every
 * other item would fail in the same way. After Ctrl-C it starts no other item, and lets requests in
 * flight complete.
 */
export async function runBulk(task: BulkTask, context: CliContext): Promise<BulkRun> {
  const { ids, concurrency, intervalMs = 0, maxFailures = Number.POSITIVE_INFINITY } = task;
  const { isRetryable = isAway, resumeHints = [] } = task;
  const { signal } = context;
  const progress = createProgress(task.showProgress ? (task.parts ?? ids.length) : null, context);
  const grace = createShutdownGrace(
    context,
    () => {
      // A person sees the hints at the end.
      const hints = context.stderr.isTTY === true ? null : formatHints(resumeHints);
      printNotice(context, [finishingNotice, hints].filter(Boolean).join(' '));
    },
    task.shutdownGraceMs,
  );
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const policy = { ...createOutagePolicy(task, progress, context), isRetryable };
  const gate = createOutageGate(policy, { ...context, signal: over });
  const errors = new Map<string, unknown>();
  const left = new Set<string>();
  let failed = 0;
  let stoppedBy: unknown = null;

  const requests: ItemRequests = {
    send: (attempt, canRepeat) => gate.send(() => grace.during(attempt), canRepeat),
    progress: (parts) => progress.step('done', parts),
  };

  async function work(id: string): Promise<boolean> {
    try {
      const { outcome, error } = await task.work(id, requests);
      if (outcome === 'not_attempted') left.add(id);
      else if (task.parts === undefined)
        progress.step(outcome === 'failed' || outcome === 'would_fail' ? 'failed' : 'done');
      if (error !== null) errors.set(id, error);
      if (outcome !== 'failed') return stoppedBy !== null;
      failed += 1;
      // An item may fail alone with an error that sounds as if the service was away.
      if (failsForAll(error) && (gate.isLost() || !isAway(error))) stoppedBy ??= error;
    } catch (error) {
      // Anything else is a bug.
      if (!(error instanceof CliError)) throw error;
      stoppedBy ??= error;
    }
    const isEnd = stoppedBy !== null || failed >= maxFailures;
    if (isEnd) ended.abort();
    return isEnd;
  }

  const limit =
    intervalMs > 0
      ? createRateLimiter(ids.length, intervalMs, {
          now: context.elapsed,
          wait: (milliseconds) => context.wait(milliseconds, over),
        })
      : null;
  try {
    const started = await runPool({
      targets: ids,
      concurrency,
      work,
      signal,
      async turn() {
        await limit?.();
        await gate.untilOver();
      },
    });
    return {
      failures: ids.flatMap((id) => (errors.has(id) ? [{ id, error: errors.get(id) }] : [])),
      notAttempted: ids.filter((id, index) => index >= started || left.has(id)),
      stoppedBy,
    };
  } finally {
    grace.end();
    progress.end();
  }
}

/** What an attempt for an item returned, or why it failed. */
type Attempted<Data> = { data: Data; error: null } | { data: null; error: unknown };

/** Makes a request for an item as `send` does. It never rejects. */
export function sendFor<Data>(
  { send }: Pick<ItemRequests, 'send'>,
  request: (options: { signal: AbortSignal; maxRetries: 0 }) => PromiseLike<Data>,
  canRepeat?: (error: unknown) => boolean,
): Promise<Attempted<Data>> {
  return send<Attempted<Data>>(async (signal) => {
    try {
      return { data: await request({ signal, maxRetries: 0 }), error: null };
    } catch (error) {
      return { data: null, error };
    }
  }, canRepeat);
}

/** Says what a run did: `Got 2 of 3 orders; 1 failed`. */
export function summarizeRun(
  verb: string,
  [one, many]: readonly [one: string, many: string],
  ids: readonly string[],
  succeeded: number,
  { failures, notAttempted }: Pick<BulkRun, 'failures' | 'notAttempted'>,
): string {
  const left = notAttempted.length;
  const rest = left > 0 ? `, ${formatNumber(left)} not attempted` : '';
  return `${verb} ${formatNumber(succeeded)} of ${formatCount(ids.length, one, many)}; ${formatNumber(failures.length)} failed${rest}`;
}

/** Returns the error of a run over several items, with a summary as `summarizeRun` makes it; null if all succeeded. */
export function toBulkFailure(
  verb: string,
  nouns: readonly [one: string, many: string],
  ids: readonly string[],
  succeeded: number,
  run: Pick<BulkRun, 'failures' | 'notAttempted'>,
  { signal }: Pick<CliContext, 'signal'>,
): unknown {
  const { failures, notAttempted } = run;
  const summary = summarizeRun(verb, nouns, ids, succeeded, run);
  const [first] = failures;
  const several = () => new BulkError(summary, succeeded, failures);
  const failure = first === undefined ? null : ids.length === 1 ? first.error : several();
  const isIncomplete = failures.length + notAttempted.length > 0;
  return signal.aborted && isIncomplete && getExitReason(failure) !== 'interrupted'
    ? new CliError('interrupted', `Interrupted. ${summary}`)
    : failure;
}
