import {
  type AnyTradepostError,
  isTradepostError,
  type Order,
  type Tradepost,
  type UpdatedOrder,
} from '@tradepost/sdk';
import { type BulkResult, noFailure, toFailure } from '../../../bulk/run-bulk';
import type { CliContext } from '../../../context';
import { CliError, commandHint, type Hint } from '../../../errors/cli-error';
import { getRetryAfter, isLimited, mayHaveBeenApplied } from '../../../errors/exit-codes';
import type { StatusChange, StatusOutcome } from './outcome-view';

export type OrdersClient = Pick<Tradepost['orders'], 'get' | 'update'>;

export interface OrderChangeResult {
  outcome: StatusOutcome;
  /** The order as it is now; null if it could not be read. */
  order: Order | null;
  /** Why it failed or was skipped; null otherwise. */
  error: BulkResult['error'];
}

export const unguardedNotice =
  'This service sends no ETag: a concurrent change between reading and updating is not detected.';

export interface ChangeOrderOptions extends StatusChange {
  /** Whether an earlier attempt may have changed it: it is read before it is changed again. */
  inDoubt: boolean;
  dryRun: boolean;
  /** Called if the service sends no `ETag`. */
  onUnguarded?: () => void;
  /** Aborts at once; the outcome may be unknown then. */
  signal?: AbortSignal;
}

/**
 * Moves one order to a status, or predicts what that would do. It never rejects.
 *
 * With a condition the order is read first, and changed only if no one has changed it since (`If-Match`).
 * Without an `ETag` from the service there is a gap between the two.
 */
export async function changeOrder(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
): Promise<OrderChangeResult> {
  const { status, ifStatus, signal } = change;
  let found: Order | null = null;
  try {
    let ifMatch: string | undefined;
    if (ifStatus !== null || change.inDoubt || change.dryRun) {
      const { data, headers } = await orders.get(id, { signal }).withResponse();
      assertOrder(data, id);
      found = data;
      if (found.status === status) return toResult('unchanged', found, found);
      if (ifStatus !== null) {
        if (found.status !== ifStatus) throw preconditionFailedError(found, ifStatus);
        ifMatch = headers.get('etag') ?? undefined;
        if (ifMatch === undefined) change.onUnguarded?.();
      }
      if (change.dryRun) return toResult('would_change', found, { ...found, status });
    }
    const startedAt = performance.now();
    const response = await orders.update(id, { status }, { ifMatch, signal }).withResponse();
    const { data: updated, headers } = response;
    assertOrder(updated, id, status);
    const durationMs = performance.now() - startedAt;
    const data = await completeOrder(orders, updated, found, signal);
    const isUnchanged = found === null && wasUpdatedBefore(data, headers, durationMs);
    return toResult(isUnchanged ? 'unchanged' : 'updated', found, data);
  } catch (error) {
    const isSkipped = error instanceof CliError && error.code === 'precondition_failed';
    const isConcurrent = isPreconditionFailed(error);
    return {
      outcome: {
        id,
        outcome: isSkipped || isConcurrent ? 'skipped' : 'failed',
        from: found?.status ?? null,
        to: isSkipped ? (found?.status ?? null) : null,
        ...toFailure(error),
        ...(isConcurrent && { message: 'Skipped: changed by another client' }),
      },
      order: found,
      error,
    };
  }
}

/**
 * Completes an order that the service did not send with its response to the change: with what was read before,
 * otherwise by reading it again. If that fails, the change was made all the same.
 *
 * @throws {CliError} `invalid_response` if the order that is read again does not have the status
 */
async function completeOrder(
  orders: OrdersClient,
  updated: UpdatedOrder,
  found: Order | null,
  signal: AbortSignal | undefined,
): Promise<Order> {
  if (updated.createdAt !== undefined) return updated as Order;
  if (found) return { ...found, ...updated };
  const read = await orders.get(updated.id, { signal }).safe();
  if (!read.ok) return updated as Order;
  assertOrder(read.data, updated.id, updated.status);
  return read.data;
}

/** The clock of a proxy that sets `Date` may differ from that of the service by this, in milliseconds. */
const clockToleranceMs = 60_000;

/**
 * Whether the last change of an order is older than the request that should have changed it: then it had
 * the status already.
 *
 * @param durationMs how long the request took, with its retries
 */
function wasUpdatedBefore(
  { updatedAt }: Order,
  headers: Pick<Headers, 'get'>,
  durationMs: number,
): boolean {
  const startedAt = Date.parse(headers.get('date') ?? '') - durationMs;
  return Date.parse(updatedAt) + clockToleranceMs < startedAt;
}

function toResult(
  outcome: 'updated' | 'unchanged' | 'would_change',
  before: Order | null,
  after: Order,
): OrderChangeResult {
  const { id, status: to } = after;
  return {
    outcome: { id, outcome, from: before?.status ?? null, to, ...noFailure },
    order: after,
    error: null,
  };
}

function seeOrder(id: string): Hint {
  return commandHint('To see the order, run', 'orders get', id);
}

/**
 * @param status the requested status; undefined if the order was only read
 * @throws {CliError} `invalid_response` if the response is about another order or status
 */
function assertOrder(order: Pick<Order, 'id' | 'status'>, id: string, status?: string): void {
  if (order.id === id && (status === undefined || order.status === status)) return;
  const what =
    order.id === id ? `status ${order.status}, not ${status}` : `order ${order.id}, not ${id}`;
  const doubt = status === undefined ? '' : '; outcome unknown';
  throw new CliError('invalid_response', `The service returned ${what}${doubt}`, seeOrder(id));
}

function preconditionFailedError(order: Order, ifStatus: string): CliError {
  const message = `Skipped: ${order.status}, not ${ifStatus}`;
  return new CliError('precondition_failed', message, seeOrder(order.id));
}

function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailedError';
}

/** Delays before retries, in milliseconds, unless the service requests longer ones. */
const retryDelaysMs = [500, 2_000, 8_000];

/** The longest `Retry-After` that is respected, in milliseconds. */
const maxRetryDelayMs = 300_000;

export interface RetryOptions {
  interrupted: AbortSignal;
  /** Called when the service has too many requests, with its error and the delay in milliseconds. */
  onLimited: (error: AnyTradepostError, delayMs: number) => void;
  wait: CliContext['wait'];
}

/**
 * Changes one order as `changeOrder` does, and retries when the service has too many requests, and after
 * lost responses of conditional changes. The SDK cannot retry those: an order that was moved no longer
 * matches its condition. So it is read again.
 */
export async function changeOrderWithRetry(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
  { interrupted, onLimited, wait }: RetryOptions,
): Promise<OrderChangeResult> {
  let changed = await changeOrder(orders, id, change);
  /** The attempt that may have moved it and got no clear response. */
  let lost: OrderChangeResult | null = null;
  for (const delayMs of retryDelaysMs) {
    const { error } = changed;
    const limit = getLimit(error);
    const isLost = isRetryable(error, change);
    // The lost attempt may have changed the order, which a slow service completes only now.
    const isOwnChange = lost !== null && isPreconditionFailed(error);
    if (interrupted.aborted || !(limit || isLost || isOwnChange)) break;
    if (change.ifStatus !== null && mayHaveBeenApplied(error)) lost = changed;
    const nextMs = Math.max(delayMs, limit?.delayMs ?? 0);
    if (limit) onLimited(limit.error, nextMs);
    await wait(nextMs, interrupted);
    if (interrupted.aborted) break;
    changed = await changeOrder(orders, id, {
      ...change,
      inDoubt: change.inDoubt || lost !== null,
    });
  }
  return lost === null ? changed : resolveLostAttempt(lost, changed);
}

/** Decides the outcome of an order that an earlier attempt may have moved. */
function resolveLostAttempt(lost: OrderChangeResult, last: OrderChangeResult): OrderChangeResult {
  const { outcome } = last;
  const { id, from } = lost.outcome;
  // It had another status when it was first read: the lost attempt moved it.
  if (outcome.outcome === 'unchanged') {
    return { ...last, outcome: { ...outcome, outcome: 'updated', from } };
  }
  if (outcome.outcome === 'skipped') {
    const now = outcome.to === null ? 'changed by another client' : `now ${outcome.to}`;
    const error = new CliError(
      'in_doubt',
      `The response was lost; ${now}. It is unknown whether the order was moved in between`,
      seeOrder(id),
    );
    const { code, message } = error;
    return { ...last, outcome: { ...outcome, outcome: 'failed', from, code, message }, error };
  }
  // If it could not be read again, the lost attempt decides.
  return last.order === null ? lost : last;
}

/**
 * Returns the error of a service that has too many requests, and the delay that it requests, in milliseconds.
 * Null for other errors, and if that is too long.
 */
function getLimit(error: unknown): { error: AnyTradepostError; delayMs: number } | null {
  if (!isLimited(error)) return null;
  const delayMs = (getRetryAfter(error) ?? 0) * 1_000;
  return delayMs <= maxRetryDelayMs ? { error, delayMs } : null;
}

/** Whether a conditional change may have been applied, or did not reach a service that is up. */
function isRetryable(error: unknown, { ifStatus }: ChangeOrderOptions): boolean {
  if (ifStatus === null || !isTradepostError(error) || error.method !== 'PATCH') return false;
  const { code } = error;
  if (code === 'aborted' || code === 'invalid_response' || isLimited(error)) return false;
  const isAway = code === 'connection_failed' || code === 'shutting_down';
  return isAway || mayHaveBeenApplied(error);
}
