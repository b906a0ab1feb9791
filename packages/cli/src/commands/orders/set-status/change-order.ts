import type { MoveOrderOptions, Order, OrderMove, Tradepost } from '@tradepost/sdk';
import { noFailure, type OutcomeKind, toFailure } from '../../../bulk/outcome';
import { requireExtension } from '../../../client/extensions';
import type { CliContext } from '../../../context';
import { CliError, commandHint } from '../../../errors/cli-error';
import { getExitReason } from '../../../errors/exit-codes';
import {
  getTransitions,
  type StatusChange,
  type StatusOutcome,
} from '../../../journal/status-change';
import { printNotice } from '../../../output/print';
import { formatAlternatives } from '../../../output/text';

export type OrdersClient = Pick<Tradepost['orders'], 'move'>;

export interface OrderChangeResult {
  outcome: StatusOutcome;
  /** The order as it was last read; null if it could not be read. */
  order: Order | null;
  /** Why it failed or was skipped; null otherwise. */
  error: unknown;
}

/** Moves one order, or predicts what that would do. It never rejects. */
export async function changeOrder(
  orders: OrdersClient,
  id: string,
  { status: to, ifStatus, reason }: StatusChange,
  { beforeUpdate, progress = {}, ...options }: MoveOrderOptions,
  onUnguarded: () => void,
): Promise<OrderChangeResult> {
  try {
    const move = await orders.move(
      id,
      { to, from: ifStatus ?? undefined, reason },
      {
        ...options,
        progress,
        async beforeUpdate(order, response) {
          const { headers, extensions } = response;
          if (reason !== undefined) requireExtension('orders.reason', '--reason', extensions);
          const tag = headers.get('etag') ?? headers.get('tradepost-order-version');
          if (ifStatus !== null && tag === null && !options.dryRun) onUnguarded();
          await beforeUpdate?.(order, response);
        },
      },
    );
    return describeMove(move, to, ifStatus);
  } catch (error) {
    const { before: order = null } = progress;
    const from = order?.status ?? null;
    const outcome = { id, outcome: 'failed', from, to: null, ...toFailure(error) } as const;
    return { outcome, order, error };
  }
}

/** Creates what to do if the service sends no `ETag`: it is said once. */
export function createUnguardedNotice(context: CliContext): () => void {
  let isSaid = false;
  return () => {
    if (isSaid) return;
    isSaid = true;
    printNotice(
      context,
      'This service sends no ETag: a concurrent change between reading and updating is not detected.',
    );
  };
}

const outcomes: Record<OrderMove['outcome'], OutcomeKind> = {
  moved: 'updated',
  unchanged: 'unchanged',
  skipped: 'skipped',
  unknown: 'failed',
  possible: 'would_change',
  impossible: 'would_fail',
};

function describeMove(
  { outcome, from, order }: OrderMove,
  target: string,
  ifStatus: string | null,
): OrderChangeResult {
  const { id, status } = order;
  const fail = (code: 'precondition_failed' | 'in_doubt' | 'invalid_transition', text: string) =>
    new CliError(code, text, commandHint('To see the order, run', 'orders get', id));
  const allowed = getTransitions(status) ?? [];
  const errors: Partial<Record<OrderMove['outcome'], CliError>> = {
    skipped: fail('precondition_failed', `Skipped: ${status}, not ${ifStatus}`),
    unknown: fail(
      'in_doubt',
      `The response was lost; now ${status}. It is unknown whether the order was moved in between`,
    ),
    impossible: fail(
      'invalid_transition',
      `Would fail: ${status} ${allowed.length === 0 ? 'is final' : `can move to ${formatAlternatives(allowed)}`}`,
    ),
  };
  const error = errors[outcome] ?? null;
  const to = { possible: target, impossible: null }[outcome as string];
  return {
    outcome: {
      id,
      outcome: outcomes[outcome],
      from,
      to: to === undefined ? status : to,
      ...(error === null ? noFailure : toFailure(error)),
    },
    order,
    error,
  };
}

/** Whether an option needs what the service does not have. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof CliError && error.code === 'unsupported_option';
}

/** Whether another attempt would fail in the same way. */
export function isFinalFailure(error: unknown): boolean {
  return isUnsupported(error) || ['conflict', 'notFound'].includes(getExitReason(error));
}
