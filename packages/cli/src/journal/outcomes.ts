import { noFailure, type OutcomeFailure } from '../bulk/outcome';
import { formatCount, formatNumber } from '../output/text';
import { getCommonStatus, type Plan } from './journal';
import { inDoubtCode, type StatusOutcome } from './status-change';

/** Why it is unknown what became of an order whose change was started. */
export const inDoubtFailure: OutcomeFailure = {
  code: inDoubtCode,
  message: 'An earlier run was interrupted; outcome unknown',
  requestId: null,
};

/** Returns the outcome of an order that has none. */
export function notAttempted(id: string, isInDoubt: boolean): StatusOutcome {
  const order = { id, from: null, to: null };
  return isInDoubt
    ? { ...order, outcome: 'failed', ...inDoubtFailure }
    : { ...order, outcome: 'not_attempted', ...noFailure };
}

/** Says what became of the orders of a plan. */
export function formatSummary(
  plan: Plan,
  outcomes: readonly StatusOutcome[],
  isDryRun = false,
): string {
  const status = getCommonStatus(plan);
  const there = status === null ? '' : ` to ${status}`;
  const verbs = {
    updated: `moved${there}`,
    would_change: `would move${there}`,
    unchanged: status === null ? 'unchanged' : `already ${status}`,
    skipped: `skipped (not ${plan.ifStatus})`,
    would_fail: 'would fail',
    failed: 'failed',
    [inDoubtCode]: 'in doubt',
    not_attempted: 'not attempted',
  } as const;
  const counts = Object.entries(verbs).flatMap(([kind, verb]) => {
    const count = outcomes.filter((one) => getSummaryKind(one) === kind).length;
    return count > 0 ? [{ kind, text: `${formatNumber(count)} ${verb}` }] : [];
  });
  const [only, ...others] = counts;
  if (only === undefined) return isDryRun ? 'No orders are left to move' : 'No orders';
  const all = countOrders(outcomes.length);
  if (others.length > 0) return `${all}: ${counts.map(({ text }) => text).join(', ')}`;
  if (only.kind === 'would_change') return `Would move ${all}${there}`;
  const verb = verbs[only.kind as keyof typeof verbs];
  if (only.kind === 'unchanged') return `${all} ${outcomes.length === 1 ? 'was' : 'were'} ${verb}`;
  return `${all} ${verb}`;
}

/** Returns the outcome, or `in_doubt` for a failure whose outcome is unknown. */
export function getSummaryKind({ outcome, code }: StatusOutcome): string {
  return outcome === 'failed' && code === inDoubtCode ? code : outcome;
}

export function countOrders(count: number, status: string | null = null): string {
  return formatCount(count, status === null ? 'order' : `${status} order`);
}
