import { isTradepostError } from '@tradepost/sdk';
import { finishingNote, graceAfter } from '../bulk/grace';
import { endsAll, noFailure, type OutcomeFailure } from '../bulk/outcome';
import { runPool } from '../bulk/pool';
import type { Failure } from '../bulk-error';
import { note } from '../output/note';
import { progressOf } from '../output/progress';
import type { Terminal } from '../terminal';
import { type OrdersClient, unguardedNote } from './change-order';
import { changeOrderSurely } from './change-order-surely';
import type { Recorded, ResultFile } from './result-file';
import { inDoubtCode, type StatusOutcome } from './status-change';

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
  /** How many were left when it ended: it did not come to their turn. */
  left: number;
  /** What ended it before all were tried; null when nothing did. */
  endedBy: unknown;
}

const limitedNote =
  'The service limits how fast it may be asked: this goes on as fast as it allows.';

/** In milliseconds. */
const longSilence = 15_000;

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
    grace: milliseconds,
  }: SetStatusesOptions,
  terminal: Terminal,
): Promise<StatusesSet> {
  const outcomes = new Map(before);
  const failures: Failure[] = [];
  const progress = progressOf(targets.length, terminal);
  let failed = 0;
  let isGuarded = true;
  let endedBy: unknown = null;
  const grace = graceAfter(
    terminal.signal,
    () => note(terminal, howToGoOn === null ? finishingNote : `${finishingNote} ${howToGoOn}`),
    milliseconds,
  );

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
    note(terminal, unguardedNote);
  }

  let isLimited = false;
  const tries = {
    interrupted: terminal.signal,
    wait: terminal.wait,
    onLimited(pause: number) {
      // A long silence is told each time.
      if (isLimited && pause < longSilence) return;
      isLimited = true;
      const asked = pause < longSilence ? '' : ` It asks for ${Math.ceil(pause / 1_000)} s.`;
      note(terminal, `${limitedNote}${asked}`);
    },
  };

  async function work(id: string): Promise<boolean> {
    if (file !== null && !written(() => file.begin(id))) return true;
    // One that failed may have been changed all the same, when its answer was lost.
    const mayBeDone = inDoubt.has(id) || before.get(id)?.outcome === 'failed';
    const change = { ...plan, dryRun, onUnguarded, inDoubt: mayBeDone };
    const changed = await grace.during((signal) =>
      changeOrderSurely(orders, id, { ...change, signal }, tries),
    );
    const { error } = changed;
    const outcome = { ...changed.outcome, ...whyCutOff(error, mayBeDone) };
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
  let begun: number;
  try {
    begun = await runPool({ targets, concurrency, work, endsAll: (ends) => ends, signal });
    written(() => file?.close());
  } finally {
    grace.end();
    progress.clear();
  }
  return {
    outcomes: plan.ids.map((id) => outcomes.get(id) ?? unreached(id, inDoubt.has(id))),
    failures,
    left: targets.length - begun,
    endedBy,
  };
}

/** Why an order is as it is that was under way when the grace was over; null when it was not. */
function whyCutOff(error: unknown, wasInDoubt: boolean): OutcomeFailure | null {
  if (!isTradepostError(error) || error.code !== 'aborted') return null;
  if (error.method === 'GET') {
    if (wasInDoubt) return doubt;
    return { code: 'interrupted', message: 'interrupted before it was moved', requestId: null };
  }
  const message = 'interrupted while it was moved: whether it is now is not known';
  return { code: inDoubtCode, message, requestId: null };
}

/** What is known of an earlier run that was cut off while it moved an order. */
const doubt: OutcomeFailure = {
  code: inDoubtCode,
  message: 'an earlier run was cut off while it moved the order: whether it did is not known',
  requestId: null,
};

function unreached(id: string, isInDoubt: boolean): StatusOutcome {
  const known = { id, from: null, to: null };
  return isInDoubt
    ? { ...known, outcome: 'failed', ...doubt }
    : { ...known, outcome: 'untried', ...noFailure };
}
