import type { Order, OrderStatus, RequestOptions, Tradepost, UpdatedOrder } from '@tradepost/sdk';
import { noFailure, toFailure } from '../../../bulk/outcome';
import type { BulkResult } from '../../../bulk/run-bulk';
import { requireExtension } from '../../../client/extensions';
import { isTemporary } from '../../../client/outage';
import { readEntityTag } from '../../../client/read-entity-tag';
import type { CliContext } from '../../../context';
import { CliError, commandHint, type Hint } from '../../../errors/cli-error';
import { getExitReason, mayHaveBeenApplied } from '../../../errors/exit-codes';
import {
  getTransitions,
  type StatusChange,
  type StatusOutcome,
} from '../../../journal/status-change';
import { formatAlternatives } from '../../../output/text';

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
  /** When an attempt began that may have moved it, on the monotonic clock, in milliseconds. */
  lostSince?: number;
  dryRun: boolean;
  /** Called with the order before it is changed. What it throws prevents the change. */
  beforeUpdate?: (order: Order) => Promise<void>;
  /** Called if the service sends no `ETag`. */
  onUnguarded?: () => void;
  /** Options of each request. After its signal aborts the outcome may be unknown. */
  request?: AttemptOptions;
}

type AttemptOptions = Pick<RequestOptions, 'signal' | 'maxRetries'>;

/** The clients of services that store reasons: a response has said so. */
const acceptsReasons = new WeakSet<OrdersClient>();

/**
 * Moves one order to a status, or predicts what that would do. It never rejects.
 *
 * With a condition the order is read first, and changed only if no one has changed it since (`If-Match`).
 * Without an `ETag` from the service there is a gap between the two. With a reason, one order is read before the first change:
 * the response says whether the service stores reasons.
 */
export async function changeOrder(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
): Promise<OrderChangeResult> {
  const { status, ifStatus, reason, request = {} } = change;
  let found: Order | null = null;
  try {
    let ifMatch: string | undefined;
    const isReasonNew = reason !== undefined && !acceptsReasons.has(orders);
    if (
      ifStatus !== null ||
      change.inDoubt ||
      change.dryRun ||
      change.beforeUpdate ||
      isReasonNew
    ) {
      const { data, headers, extensions } = await orders.get(id, request).withResponse();
      assertOrder(data, id);
      if (isReasonNew) {
        requireExtension('orders.reason', '--reason', extensions);
        acceptsReasons.add(orders);
      }
      found = data;
      if (found.status === status) return alreadyThere(found, headers, change.lostSince);
      if (ifStatus !== null) {
        if (found.status !== ifStatus) throw preconditionFailedError(found, ifStatus);
        if (readEntityTag(headers) === null) change.onUnguarded?.();
      }
      if (ifStatus !== null || change.beforeUpdate) ifMatch = readEntityTag(headers) ?? undefined;
      await change.beforeUpdate?.(found);
      if (change.dryRun) return predict(found, status);
    }
    const startedAt = performance.now();
    const body = { status, ...(reason !== undefined && { reason }) };
    const response = await orders.update(id, body, { ...request, ifMatch }).withResponse();
    const { data: updated, headers } = response;
    assertOrder(updated, id, status);
    const durationMs = performance.now() - startedAt;
    const data = await completeOrder(orders, updated, found, request);
    const isChanged =
      readChanged(headers) ?? (found !== null || !wasUpdatedBefore(data, headers, durationMs));
    return isChanged ? toResult('updated', found, data) : toResult('unchanged', data, data);
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
  request: AttemptOptions,
): Promise<Order> {
  if (updated.createdAt !== undefined) return updated as Order;
  if (found) return { ...found, ...updated };
  const read = await orders.get(updated.id, request).safe();
  if (!read.ok) return updated as Order;
  assertOrder(read.data, updated.id, updated.status);
  return read.data;
}

/** Whether the service says that the request changed the order; null if it does not say. */
function readChanged(headers: Pick<Headers, 'get'>): boolean | null {
  const changed = headers.get('tradepost-changed');
  return changed === null ? null : changed === 'true';
}

/** Decides whether an order that has the requested status got it from a lost attempt of this command. */
function alreadyThere(
  order: Order,
  headers: Pick<Headers, 'get'>,
  lostSince: number | undefined,
): OrderChangeResult {
  const isOwn =
    lostSince !== undefined && !wasUpdatedBefore(order, headers, performance.now() - lostSince);
  return isOwn ? toResult('updated', null, order) : toResult('unchanged', order, order);
}

/** Predicts the change of an order from the transitions that the contract allows. */
function predict(order: Order, status: OrderStatus): OrderChangeResult {
  const allowed = getTransitions(order.status);
  // The service may have statuses of its own.
  if (allowed === null || allowed.includes(status)) {
    return toResult('would_change', order, { ...order, status });
  }
  const reason =
    allowed.length === 0
      ? `${order.status} is final`
      : `${order.status} can move to ${formatAlternatives(allowed)}`;
  const error = new CliError('invalid_transition', `Would fail: ${reason}`, seeOrder(order.id));
  const { code, message } = error;
  const outcome = { id: order.id, outcome: 'would_fail', from: order.status, to: null } as const;
  return { outcome: { ...outcome, code, message, requestId: null }, order, error };
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

/** Whether an option needs what the service does not have. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof CliError && error.code === 'unsupported_option';
}

/** Whether another attempt would fail in the same way. */
export function isFinalFailure(error: unknown): boolean {
  return isUnsupported(error) || ['conflict', 'notFound'].includes(getExitReason(error));
}

export function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailedError';
}

/** Delays before the retries of one order, in milliseconds. An outage has its own. */
const retryDelaysMs = [500, 2_000, 8_000];

/** An attempt that may have moved an order and got no clear response. */
interface LostAttempt extends OrderChangeResult {
  /** On the monotonic clock, in milliseconds. */
  startedAt: number;
}

export interface OrderChange {
  /** Makes an attempt, with retries of what concerns this order alone. It never rejects. */
  attempt(signal: AbortSignal): Promise<OrderChangeResult>;
  /** Decides what became of the order from the last attempt and those before it. */
  settle(last: OrderChangeResult): OrderChangeResult;
  /** Whether an attempt may have moved the order without a clear response. */
  isInDoubt(): boolean;
}

/**
 * Creates the change of one order, for several attempts: each knows whether an earlier one may have moved
 * the order. The SDK cannot repeat such a request: an order that was moved no longer matches its condition.
 * So it is read again.
 */
export function createOrderChange(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
  { signal: interrupted, wait }: Pick<CliContext, 'signal' | 'wait'>,
): OrderChange {
  let earlier: LostAttempt | null = null;
  let lost: LostAttempt | null = null;

  async function attempt(signal: AbortSignal): Promise<OrderChangeResult> {
    for (let retry = 0; ; retry += 1) {
      earlier = lost;
      const startedAt = performance.now();
      const changed = await changeOrder(orders, id, {
        ...change,
        inDoubt: change.inDoubt || earlier !== null,
        // Without a status before, only its time tells which request moved it.
        ...(earlier?.outcome.from === null && { lostSince: earlier.startedAt }),
        request: { signal, maxRetries: 0 },
      });
      if (mayHaveBeenApplied(changed.error)) lost = { startedAt, ...earlier, ...changed };
      // The lost attempt may have changed the order, which a slow service completes only now.
      const isOwnChange = earlier !== null && isPreconditionFailed(changed.error);
      const delayMs = retryDelaysMs[retry];
      if (delayMs === undefined || !(isOwnChange || isTemporary(changed.error))) return changed;
      await wait(delayMs, interrupted);
      if (interrupted.aborted) return changed;
    }
  }

  return {
    attempt,
    settle: (last) => (earlier === null ? last : resolveLostAttempt(earlier, last)),
    isInDoubt: () => lost !== null,
  };
}

/** Decides the outcome of an order that an earlier attempt may have moved. */
function resolveLostAttempt(lost: LostAttempt, last: OrderChangeResult): OrderChangeResult {
  const { outcome } = last;
  const { id, from } = lost.outcome;
  // It had another status when it was first read: the lost attempt moved it.
  if (outcome.outcome === 'unchanged' && from !== null) {
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
