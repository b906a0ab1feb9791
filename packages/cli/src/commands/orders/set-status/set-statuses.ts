import { isTradepostError, type OrderMoveProgress, type OrderStatus } from '@tradepost/sdk';
import { type OutcomeFailure, toFailure } from '../../../bulk/outcome';
import { type BulkTask, runBulk } from '../../../bulk/run-bulk';
import { isTemporary, wasNotAttempted } from '../../../client/outage';
import type { CliContext } from '../../../context';
import type { Hint } from '../../../errors/cli-error';
import type { Journal, JournalContent } from '../../../journal/journal';
import { inDoubtFailure, notAttempted } from '../../../journal/outcomes';
import { inDoubtCode } from '../../../journal/status-change';
import {
  changeOrder,
  createUnguardedNotice,
  isFinalFailure,
  type OrderChangeResult,
  type OrdersClient,
} from './change-order';

export interface SetStatusesOptions
  extends Pick<
    BulkTask,
    'concurrency' | 'intervalMs' | 'maxFailures' | 'reconnectTimeout' | 'shutdownGraceMs'
  > {
  /** The orders of the plan that are not done. */
  ids: readonly string[];
  dryRun: boolean;
  journal: Journal | null;
  resumeHint: Hint | null;
}

export type StatusRun = Awaited<ReturnType<typeof setStatuses>>;

/** Moves the orders of a plan that are not done, and closes the journal. */
export async function setStatuses(
  orders: OrdersClient,
  { plan, outcomes: earlier, inDoubt }: Pick<JournalContent, 'plan' | 'outcomes' | 'inDoubt'>,
  { ids, dryRun, journal, resumeHint, ...limits }: SetStatusesOptions,
  context: CliContext,
) {
  const outcomes = new Map(earlier);
  let settled = 0;
  const onUnguarded = createUnguardedNotice(context);

  const run = await runBulk(
    {
      ids,
      ...limits,
      hadContact: earlier.size > 0,
      resumeHints: resumeHint === null ? [] : [resumeHint],
      showProgress: true,
      async work(id, { send }) {
        journal?.begin(id);
        // An order that failed may have been changed, if the response was lost.
        const mayBeDone = inDoubt.has(id) || earlier.get(id)?.outcome === 'failed';
        const status = plan.targets.get(id) as OrderStatus;
        const progress: OrderMoveProgress = {};
        const attempt = (signal: AbortSignal) =>
          changeOrder(
            orders,
            id,
            { ...plan, status },
            { dryRun, progress, signal, maxRetries: 0 },
            onUnguarded,
          );
        const last = await send((signal) => retryTemporary(() => attempt(signal), context));
        const result = settle(last, progress);
        const isCertain = !mayBeDone && progress.lost === undefined;
        const { outcome, error } =
          isCertain && wasNotAttempted(result.error, context)
            ? { outcome: notAttempted(id, false), error: null }
            : result;
        const recorded = { ...outcome, ...getAbortReason(error, mayBeDone) };
        outcomes.set(id, recorded);
        if (!['failed', 'not_attempted'].includes(recorded.outcome)) settled += 1;
        const quantity = result.order?.quantity ?? null;
        journal?.end(recorded, { quantity, isFinal: isFinalFailure(error) });
        return { outcome: recorded.outcome, error: recorded.outcome === 'skipped' ? null : error };
      },
    },
    context,
  );
  let { stoppedBy } = run;
  try {
    journal?.close();
  } catch (error) {
    stoppedBy ??= error;
  }
  // A dry run is only about those that it would move.
  const tried = new Set(ids);
  const all = [...plan.targets.keys()];
  const reported = dryRun ? all.filter((id) => tried.has(id)) : all;
  return {
    /** An outcome for each order of the plan; for a dry run, for each one that is not done. */
    outcomes: reported.map((id) => outcomes.get(id) ?? notAttempted(id, inDoubt.has(id))),
    /** How many of them were done before this run. */
    before: reported.length - ids.length,
    /** The orders that failed in this run. */
    failures: run.failures,
    /** How many orders did not fail in this run. */
    settled,
    /** How many orders were not attempted. */
    left: run.notAttempted.length,
    stoppedBy,
  };
}

/** Delays before the retries of one order, in milliseconds. An outage has its own. */
const retryDelaysMs = [500, 2_000, 8_000];

/** Repeats an attempt after a failure that concerns its order alone and may pass. */
async function retryTemporary(
  attempt: () => Promise<OrderChangeResult>,
  { signal, wait }: CliContext,
): Promise<OrderChangeResult> {
  for (const delayMs of retryDelaysMs) {
    const result = await attempt();
    if (!isTemporary(result.error)) return result;
    await wait(delayMs, signal);
    if (signal.aborted) return result;
  }
  return await attempt();
}

/** If an order could not be read again after a lost response, that decides what became of it. */
function settle(last: OrderChangeResult, { lost }: OrderMoveProgress): OrderChangeResult {
  const isUnread = isTradepostError(last.error) && last.error.method === 'GET';
  if (lost === undefined || !isUnread) return last;
  return { ...last, outcome: { ...last.outcome, ...toFailure(lost) }, error: lost };
}

/** The failure of an order that was in flight at the end of the shutdown grace period; null otherwise. */
function getAbortReason(error: unknown, wasInDoubt: boolean): OutcomeFailure | null {
  if (!isTradepostError(error) || error.code !== 'aborted') return null;
  if (error.method !== 'GET') {
    return { code: inDoubtCode, message: 'Interrupted; outcome unknown', requestId: null };
  }
  if (wasInDoubt) return inDoubtFailure;
  return { code: 'interrupted', message: 'Interrupted before it was moved', requestId: null };
}
