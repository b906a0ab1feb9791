import { setMaxListeners } from 'node:events';
import { isTradepostError } from '@tradepost/sdk';
import type { CliContext } from '../context';
import type { Failure, Hint } from '../errors/cli-error';
import { getExitReason, isLimited } from '../errors/exit-codes';
import { printNotice } from '../output/print';
import { createProgress } from '../output/progress';
import { describeError, describeReason } from '../report/error-report';
import { formatHints } from '../report/hint';

/**
 * The possible outcomes of one item of a bulk command.
 * - `updated`, `replayed`: this command did it.
 * - `unchanged`: it was so already.
 * - `would_change`, `would_replay`: a dry run found nothing against it.
 * - `skipped`: its condition was not met.
 * - `failed`: the service rejected it, or sent no response.
 * - `not_attempted`: the command ended before its turn.
 */
const outcomeKinds = [
  'updated',
  'replayed',
  'unchanged',
  'would_change',
  'would_replay',
  'skipped',
  'failed',
  'not_attempted',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

export function isOutcomeKind(value: unknown): value is OutcomeKind {
  return outcomeKinds.some((kind) => kind === value);
}

/** Why an item failed: a code for programs, a message for people. All are null on success. */
export interface OutcomeFailure {
  code: string | null;
  message: string | null;
  requestId: string | null;
}

export const noFailure: OutcomeFailure = { code: null, message: null, requestId: null };

export function toFailure(error: unknown): OutcomeFailure {
  const { code, requestId } = describeError(error);
  return { code, message: describeReason(error), requestId };
}

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

export interface BulkTask {
  /** The items, in the order in which they are processed. */
  ids: readonly string[];
  concurrency: number;
  /** Milliseconds between two starts. @default 0 */
  intervalMs?: number;
  /** No other item is started after so many failures. @default Infinity */
  maxFailures?: number;
  /** What a person needs after an interruption. */
  resumeHints?: readonly Hint[];
  /** Whether to show progress. Not for commands that print results as they arrive. */
  showProgress: boolean;
  /** How long requests in flight may take after an interruption, in milliseconds. @default 10000 */
  shutdownGraceMs?: number;
  /**
   * Processes one item. What it throws ends the run.
   *
   * @param signal aborts when the shutdown grace period is over
   */
  work: (id: string, signal: AbortSignal) => Promise<BulkResult>;
}

export interface BulkRun {
  /** The items that failed or were skipped, in the order of the items. */
  failures: Failure[];
  notAttempted: readonly string[];
  /** What ended the run early; null if nothing did. */
  stoppedBy: unknown;
}

/**
 * Runs a bulk command. It continues after a failure, unless every other item would fail in the same way.
 * After Ctrl-C it starts no other item, and lets requests in flight complete.
 */
export async function runBulk(task: BulkTask, context: CliContext): Promise<BulkRun> {
  const { ids, concurrency, intervalMs = 0, maxFailures = Number.POSITIVE_INFINITY } = task;
  const { signal } = context;
  const progress = task.showProgress ? createProgress(ids.length, context) : null;
  const grace = createShutdownGrace(
    context,
    () =>
      printNotice(
        context,
        [finishingNotice, formatHints(task.resumeHints ?? [])].filter(Boolean).join(' '),
      ),
    task.shutdownGraceMs,
  );
  const errors = new Map<string, unknown>();
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  let failed = 0;
  let stoppedBy: unknown = null;

  async function work(id: string): Promise<boolean> {
    try {
      const { outcome, error } = await grace.during((signal) => task.work(id, signal));
      progress?.step(outcome === 'failed' || outcome === 'skipped' ? 'failed' : 'done');
      if (error !== null) errors.set(id, error);
      if (outcome !== 'failed') return stoppedBy !== null;
      failed += 1;
      if (failsForAll(error)) stoppedBy ??= error;
    } catch (error) {
      stoppedBy ??= error;
    }
    const isEnd = stoppedBy !== null || failed >= maxFailures;
    if (isEnd) ended.abort();
    return isEnd;
  }

  try {
    const started = await runPool({
      targets: ids,
      concurrency,
      work,
      signal,
      turn:
        intervalMs > 0
          ? createRateLimiter(ids.length, intervalMs, {
              now: context.elapsed,
              wait: (milliseconds) => context.wait(milliseconds, over),
            })
          : undefined,
    });
    return {
      failures: ids.flatMap((id) => (errors.has(id) ? [{ id, error: errors.get(id) }] : [])),
      notAttempted: ids.slice(started),
      stoppedBy,
    };
  } finally {
    grace.end();
    progress?.clear();
  }
}

export interface PoolOptions<Target> {
  targets: readonly Target[];
  concurrency: number;
  /** Works on one target. It never rejects. If it returns true, no other target is started. */
  work: (target: Target) => Promise<boolean>;
  /** No other target is started once it is aborted. */
  signal: AbortSignal;
  /** Resolves when the next target may start. @default at once */
  turn?: (() => Promise<void>) | undefined;
}

/**
 * Works on many targets with limited concurrency. The first runs alone: it shows what would affect all,
 * such as an invalid key.
 *
 * @returns how many of the targets were started
 */
export async function runPool<Target>({
  targets,
  concurrency,
  work,
  signal,
  turn,
}: PoolOptions<Target>): Promise<number> {
  let started = 0;
  let ended = false;

  const isOver = () => ended || signal.aborted || started >= targets.length;

  async function worker(limit: number): Promise<void> {
    while (!isOver() && started < limit) {
      await turn?.();
      if (isOver()) return;
      const target = targets[started] as Target;
      started += 1;
      if (await work(target)) ended = true;
    }
  }

  await worker(1);
  const workers = Math.min(concurrency, targets.length);
  await Promise.all(Array.from({ length: workers }, () => worker(targets.length)));
  return started;
}

/**
 * Creates a function that resolves at most once per interval. A late turn moves all later ones: slow work
 * is not followed by a burst.
 *
 * @param count how many turns there are; a request for more resolves with the last one
 * @param interval milliseconds
 */
export function createRateLimiter(
  count: number,
  interval: number,
  { now, wait }: { now: () => number; wait: (milliseconds: number) => Promise<void> },
): () => Promise<void> {
  let given = 0;
  let next = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  return () => {
    if (given >= count) return last;
    given += 1;
    const startsAt = Math.max(now(), next);
    next = startsAt + interval;
    const delay = startsAt - now();
    last = delay > 0 ? wait(delay) : Promise.resolve();
    return last;
  };
}

export const finishingNotice = 'Finishing requests in flight. Press Ctrl-C again to quit now.';

/** Longer than a response takes, and no longer than a person waits. */
const defaultShutdownGraceMs = 10_000;

/**
 * Lets changes in flight complete after an interruption, so that their outcome is known. The time is
 * limited, since the service may hang.
 *
 * @param onInterrupt called on an interruption while something is in flight
 */
export function createShutdownGrace(
  { signal, wait }: Pick<CliContext, 'signal' | 'wait'>,
  onInterrupt: () => void,
  milliseconds = defaultShutdownGraceMs,
) {
  const over = new AbortController();
  const ended = new AbortController();
  // Every request in flight listens to it.
  setMaxListeners(0, over.signal);
  let inFlight = 0;
  const onAbort = () => {
    if (inFlight === 0) return;
    onInterrupt();
    void wait(milliseconds, ended.signal).then(() => {
      if (!ended.signal.aborted) over.abort();
    });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    /** Runs work whose signal aborts when the grace period is over. */
    async during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      inFlight += 1;
      try {
        return await work(over.signal);
      } finally {
        inFlight -= 1;
      }
    },
    /** Ends the grace period: nothing is in flight any more. */
    end(): void {
      ended.abort();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
