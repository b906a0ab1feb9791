import { endsAll, noFailure } from '../bulk/outcome';
import { runPool } from '../bulk/pool';
import type { Failure } from '../bulk-error';
import { note } from '../output/note';
import { progressOf } from '../output/progress';
import type { Terminal } from '../terminal';
import { changeOrder, type OrdersClient, unguardedNote } from './change-order';
import type { Recorded, ResultFile } from './result-file';
import type { StatusOutcome } from './status-change';

/** How many orders are changed. */
export interface SetStatusesOptions {
  /** Those that are not settled yet. */
  targets: readonly string[];
  /** How many at a time. */
  concurrency: number;
  /** No other is begun once so many have failed. */
  maxFailures: number;
  /** Whether orders are looked at only. */
  dryRun: boolean;
  /** Where what comes of each is written down; null for nowhere. */
  file: ResultFile | null;
  /** How to go on, for whoever interrupts it; null when there is no way. */
  howToGoOn: string | null;
  /** How long what is under way may take after an interruption, in milliseconds; 10 s unless told. */
  grace?: number;
}

/** What came of all the orders of a plan. */
export interface StatusesSet {
  /** An outcome for each order, in the order of the plan. */
  outcomes: StatusOutcome[];
  /** Those that failed or were skipped in this run. */
  failures: Failure[];
  /** What ended it before all were tried; null when nothing did. */
  endedBy: unknown;
}

/** In milliseconds: longer than an answer takes, and no longer than a person waits. */
const usualGrace = 10_000;

/** Whether an order needs no further work: it is as it was asked to be. */
export function isSettled({ outcome }: StatusOutcome): boolean {
  return outcome === 'done' || outcome === 'unchanged';
}

/**
 * Moves the orders of a plan that are not settled yet. It goes on after a failure, unless that would
 * meet every other order too. After Ctrl-C it finishes the orders that are under way, within a grace.
 * The file is closed in the end.
 *
 * @param recorded the plan, with what came of earlier runs
 */
export async function setStatuses(
  orders: OrdersClient,
  { plan, outcomes: before, inDoubt }: Recorded,
  {
    targets,
    concurrency,
    maxFailures,
    dryRun,
    file,
    howToGoOn,
    grace = usualGrace,
  }: SetStatusesOptions,
  terminal: Terminal,
): Promise<StatusesSet> {
  const outcomes = new Map(before);
  const failures: Failure[] = [];
  const progress = progressOf(targets.length, terminal);
  let failed = 0;
  let isGuarded = true;
  let endedBy: unknown = null;
  /** Aborted when what is under way after an interruption takes too long. */
  const patience = new AbortController();

  /** Why a change may not be begun: what cannot be written down is not sent. */
  function written(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      endedBy ??= error;
      return false;
    }
  }

  function onUnguarded(): void {
    if (!isGuarded || dryRun) return;
    isGuarded = false;
    progress.clear();
    note(terminal, unguardedNote);
  }

  async function work(id: string): Promise<boolean> {
    if (file !== null && !written(() => file.begin(id))) return true;
    const { outcome, error } = await changeOrder(orders, id, {
      ...plan,
      dryRun,
      onUnguarded,
      signal: patience.signal,
      // One that failed may have been changed all the same, when its answer was lost.
      inDoubt: inDoubt.has(id) || before.get(id)?.outcome === 'failed',
    });
    outcomes.set(id, outcome);
    progress.step(
      outcome.outcome === 'failed' || outcome.outcome === 'skipped' ? 'failed' : 'done',
    );
    if (error !== null) failures.push({ id, error });
    if (file !== null && !written(() => file.end(outcome))) return true;
    if (outcome.outcome !== 'failed') return false;
    failed += 1;
    if (endsAll({ id, error })) endedBy ??= error;
    return endedBy !== null || failed >= maxFailures;
  }

  const { signal } = terminal;
  let timer: NodeJS.Timeout | undefined;
  const onInterrupt = () => {
    progress.clear();
    const later = howToGoOn === null ? '' : ` ${howToGoOn}`;
    note(terminal, `Finishing what is under way. Ctrl-C again ends at once.${later}`);
    timer = setTimeout(() => patience.abort(), grace);
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    await runPool({ targets, concurrency, work, endsAll: (ends) => ends, signal });
    written(() => file?.close());
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onInterrupt);
    progress.clear();
  }
  return {
    outcomes: plan.ids.map((id) => outcomes.get(id) ?? untried(id)),
    failures,
    endedBy,
  };
}

function untried(id: string): StatusOutcome {
  return { id, outcome: 'untried', from: null, to: null, ...noFailure };
}
