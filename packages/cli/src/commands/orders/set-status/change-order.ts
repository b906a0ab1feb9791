import {
  isTradepostError,
  type Order,
  type OrderMove,
  type OrderMoveProgress,
  type RequestOptions,
  type ResponseHeaders,
  type Tradepost,
} from '@tradepost/sdk';
import { noFailure, toFailure } from '../../../bulk/outcome';
import { requireExtension } from '../../../client/extensions';
import { CliError, commandHint, type Hint } from '../../../errors/cli-error';
import { getExitReason, mayHaveBeenApplied } from '../../../errors/exit-codes';
import {
  getTransitions,
  type StatusChange,
  type StatusOutcome,
} from '../../../journal/status-change';
import { formatAlternatives } from '../../../output/text';

export type OrdersClient = Pick<Tradepost['orders'], 'get' | 'move'>;

export interface OrderChangeResult {
  outcome: StatusOutcome;
  /** The order as it was last read; null if it could not be read. */
  order: Order | null;
  /** Why it failed or was skipped; null otherwise. */
  error: unknown;
}

export const unguardedNotice =
  'This service sends no ETag: a concurrent change between reading and updating is not detected.';

export interface ChangeOrderOptions extends StatusChange {
  dryRun: boolean;
  /** Called with the order before it is changed. What it throws prevents the change. */
  beforeUpdate?: (order: Order) => Promise<void>;
  /** Called if the service sends no `ETag` for a conditional change. */
  onUnguarded: () => void;
}

export interface OrderChange {
  /** Moves the order, or predicts what that would do. It never rejects. */
  attempt(request: Pick<RequestOptions, 'signal' | 'maxRetries'>): Promise<OrderChangeResult>;
  /** Decides what became of the order from the last attempt and those before it. */
  settle(last: OrderChangeResult): OrderChangeResult;
  /** Whether an attempt may have moved the order without a clear response. */
  isInDoubt(): boolean;
}

/**
 * Creates the change of one order, for several attempts: each knows whether an earlier one may have moved the order.
 */
export function createOrderChange(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
): OrderChange {
  const { status: to, ifStatus, reason } = change;
  const params = { to, from: ifStatus ?? undefined, reason };
  const progress: OrderMoveProgress = {};
  let found: Order | null = null;
  let lost: unknown = null;

  async function check(
    order: Order,
    { headers, extensions }: { headers: ResponseHeaders; extensions: readonly string[] },
  ): Promise<void> {
    found = order;
    if (reason !== undefined) requireExtension('orders.reason', '--reason', extensions);
    const tag = headers.get('etag') ?? headers.get('tradepost-order-version');
    if (ifStatus !== null && tag === null && !change.dryRun) change.onUnguarded();
    await change.beforeUpdate?.(order);
  }

  function toFailed(error: unknown): OrderChangeResult {
    const isConcurrent = isPreconditionFailed(error) && ifStatus !== null && lost === null;
    return {
      outcome: {
        id,
        outcome: isConcurrent ? 'skipped' : 'failed',
        from: progress.from ?? found?.status ?? null,
        to: null,
        ...toFailure(error),
        ...(isConcurrent && { message: 'Skipped: changed by another client' }),
      },
      order: found,
      error,
    };
  }

  return {
    async attempt(request) {
      try {
        if (!change.dryRun) {
          const options = { ...request, beforeUpdate: check, progress };
          return describeMove(await orders.move(id, params, options), ifStatus);
        }
        const response = await orders.get(id, request).withResponse();
        await check(response.data, response);
        return predict(response.data, change);
      } catch (error) {
        if (mayHaveBeenApplied(error)) lost = error;
        return toFailed(error);
      }
    },
    settle(last) {
      // If it could not be read again, the lost attempt decides.
      const isUnread = isTradepostError(last.error) && last.error.method === 'GET';
      return lost !== null && isUnread ? toFailed(lost) : last;
    },
    isInDoubt: () => lost !== null,
  };
}

const outcomes = {
  moved: 'updated',
  unchanged: 'unchanged',
  skipped: 'skipped',
  unknown: 'failed',
} as const;

function describeMove(
  { outcome, from, order }: OrderMove,
  ifStatus: string | null,
): OrderChangeResult {
  const { id, status } = order;
  const messages: Partial<Record<OrderMove['outcome'], CliError>> = {
    skipped: skippedError(order, ifStatus),
    unknown: new CliError(
      'in_doubt',
      `The response was lost; now ${status}. It is unknown whether the order was moved in between`,
      seeOrder(id),
    ),
  };
  const error = messages[outcome] ?? null;
  const failure = error === null ? noFailure : toFailure(error);
  return {
    outcome: { id, outcome: outcomes[outcome], from, to: status, ...failure },
    order,
    error,
  };
}

/** Predicts the change of an order from the transitions that the contract allows. */
function predict(order: Order, { status: to, ifStatus }: StatusChange): OrderChangeResult {
  const { id, status: from } = order;
  const result = (
    outcome: StatusOutcome['outcome'],
    status: string | null,
    error: CliError | null = null,
  ): OrderChangeResult => {
    const failure = error === null ? noFailure : toFailure(error);
    return { outcome: { id, outcome, from, to: status, ...failure }, order, error };
  };
  if (from === to) return result('unchanged', to);
  if (ifStatus !== null && from !== ifStatus) {
    return result('skipped', from, skippedError(order, ifStatus));
  }
  const allowed = getTransitions(from);
  // The service may have statuses of its own.
  if (allowed === null || allowed.includes(to)) return result('would_change', to);
  const reason =
    allowed.length === 0
      ? `${from} is final`
      : `${from} can move to ${formatAlternatives(allowed)}`;
  const error = new CliError('invalid_transition', `Would fail: ${reason}`, seeOrder(id));
  return result('would_fail', null, error);
}

function skippedError({ id, status }: Order, ifStatus: string | null): CliError {
  const message = `Skipped: ${status}, not ${ifStatus}`;
  return new CliError('precondition_failed', message, seeOrder(id));
}

function seeOrder(id: string): Hint {
  return commandHint('To see the order, run', 'orders get', id);
}

/** Whether an option needs what the service does not have. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof CliError && error.code === 'unsupported_option';
}

/** Whether another attempt would fail in the same way. */
export function isFinalFailure(error: unknown): boolean {
  return isUnsupported(error) || ['conflict', 'notFound'].includes(getExitReason(error));
}

function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailedError';
}
