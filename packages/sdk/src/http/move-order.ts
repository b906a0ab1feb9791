import { type OrderStatus, orderTransitions } from '@tradepost/contract/wire';
import {
  InvalidResponseError,
  isTradepostError,
  type ResponseHeaders,
  type TradepostError,
} from '../errors';
import type { RequestOptions } from '../options';
import type { Order, UpdatedOrder } from '../resources/order';
import type { ApiPromise, ApiResponse } from './api-promise';

/** The move of an order to another status. */
export interface OrderMoveParams {
  /** The status that the order shall have. */
  to: OrderStatus;
  /** Only an order in this status is moved. @default any status */
  from?: OrderStatus | undefined;
  /** Extension: why the order changes, as in `OrderUpdateParams`. */
  reason?: string | undefined;
}

/** What the calls for one move have seen. */
export interface OrderMoveProgress {
  /** The order as it was read before any call could have moved it. */
  before?: Order | undefined;
  /** The error of the last change whose response was lost: it may have moved the order, whatever later calls throw. */
  lost?: TradepostError | undefined;
}

/** Options of `orders.move`. */
export interface MoveOrderOptions extends RequestOptions {
  /** Whether to change nothing, and only predict what would become of the order. @default false */
  dryRun?: boolean | undefined;
  /**
   * Called with the order before it is changed, and its response, which tells the extensions of the service. What it
   * throws prevents the change. It is called again only if another client changes the order meanwhile; if it throws then,
   * and an earlier change may have moved the order, the error of that one is thrown.
   */
  beforeUpdate?: ((order: Order, response: ApiResponse<Order>) => void | Promise<void>) | undefined;
  /**
   * Tells a call what earlier calls have seen, so that it knows whether one of them made the change: pass `{}` to the
   * first, and the same object to those that repeat it after an error.
   */
  progress?: OrderMoveProgress | undefined;
}

/** What became of an order. */
export interface OrderMove {
  /**
   * - `moved`: this call, or an earlier one with the same `progress`, moved it.
   * - `unchanged`: it had the status already.
   * - `skipped`: it is in another status than `from`.
   * - `unknown`: a response was lost, and the order is now in another status than `from` and `to`: it may have been
   *   moved in between.
   * - `possible`, `impossible`: with `dryRun`, whether it may move from its status to that one.
   */
  outcome: 'moved' | 'unchanged' | 'skipped' | 'unknown' | 'possible' | 'impossible';
  /** The status before. */
  from: Order['status'];
  /** The order as it is now. */
  order: Order;
}

/** The calls that a move is made of. */
interface OrderCalls {
  get(id: string, options: RequestOptions): ApiPromise<Order>;
  update(
    id: string,
    params: { status: OrderStatus; reason?: string },
    options: RequestOptions & { ifMatch?: string | undefined },
  ): ApiPromise<UpdatedOrder>;
}

/** How often an order is read again that other clients change at the same time. */
const maxConflicts = 5;

/** The wait after the first lost response, in milliseconds; it doubles with each one. */
const firstWaitMs = 500;

/**
 * Moves an order from the status in which it is read, and from no other: see `Orders.move`.
 *
 * @param first the order as it is read first
 * @param limits how often it is read again after a lost response, and how to wait before
 */
export async function moveOrder(
  orders: OrderCalls,
  id: string,
  first: ApiResponse<Order>,
  { to, from, reason }: OrderMoveParams,
  { dryRun = false, beforeUpdate, progress = {}, ...request }: MoveOrderOptions,
  limits: { maxRetries: number; wait: (milliseconds: number) => Promise<void> },
): Promise<OrderMove> {
  let conflicts = 0;
  let lost: TradepostError | undefined;
  let shown: string | undefined;

  async function readAgain(): Promise<ApiResponse<Order>> {
    const read = await orders.get(id, request).safe();
    // What could not be read again may have been moved.
    if (!read.ok) throw lost ?? read.error;
    return read;
  }

  async function announce(order: Order, read: ApiResponse<Order>): Promise<void> {
    const version = `${order.status} ${order.updatedAt}`;
    if (version === shown) return;
    shown = version;
    try {
      await beforeUpdate?.(order, read);
    } catch (error) {
      throw progress.lost ?? error;
    }
  }

  for (let retries = 0, read = first; ; read = await readAgain()) {
    const { data: order } = read;
    assertOrder(read, id);
    const isInDoubt = progress.lost !== undefined;
    const before = (isInDoubt && progress.before) || order;
    progress.before = before;
    if (order.status === to) {
      return { outcome: before.status === to ? 'unchanged' : 'moved', from: before.status, order };
    }
    if (from !== undefined && order.status !== from) {
      return { outcome: isInDoubt ? 'unknown' : 'skipped', from: before.status, order };
    }
    await announce(order, read);
    if (dryRun) {
      return {
        outcome: mayMove(order.status, to) ? 'possible' : 'impossible',
        from: order.status,
        order,
      };
    }
    try {
      const ifMatch = readEntityTag(read.headers);
      const body = { status: to, ...(reason !== undefined && { reason }) };
      const updated = await orders.update(id, body, { ...request, ifMatch }).withResponse();
      assertOrder(updated, id, to);
      const isChanged = isInDoubt || updated.headers.get('tradepost-changed') !== 'false';
      return {
        outcome: isChanged ? 'moved' : 'unchanged',
        from: isChanged ? before.status : to,
        order: { ...order, ...updated.data },
      };
    } catch (error) {
      if (!isTradepostError(error)) throw error;
      if (error.mayHaveBeenApplied) {
        progress.lost = error;
        lost = error;
        if (error.code === 'aborted' || retries >= limits.maxRetries) throw error;
        await limits.wait(firstWaitMs * 2 ** retries);
        retries += 1;
      } else {
        conflicts += 1;
        if (error.status !== 412 || conflicts >= maxConflicts) throw lost ?? error;
      }
    }
  }
}

/** Whether the contract allows a transition. A service may have statuses of its own: from these, all are. */
function mayMove(from: Order['status'], to: OrderStatus): boolean {
  const allowed = Object.entries<readonly string[]>(orderTransitions).find(
    ([status]) => status === from,
  );
  return allowed?.[1].includes(to) ?? true;
}

/**
 * Returns what to send as `If-Match`: the `ETag`, or the version in quotes, if the service sends that. A proxy that
 * compresses responses may weaken or remove the `ETag`.
 */
function readEntityTag(headers: ResponseHeaders): string | undefined {
  const version = headers.get('tradepost-order-version');
  return version === null ? (headers.get('etag') ?? undefined) : `"${version}"`;
}

/** @throws {InvalidResponseError} if a response is about another order, or says another status than was requested */
function assertOrder(
  { data, status, headers, requestId }: ApiResponse<Pick<Order, 'id' | 'status'>>,
  id: string,
  requested?: OrderStatus,
): void {
  if (data.id === id && (requested === undefined || data.status === requested)) return;
  const what =
    data.id === id ? `status ${data.status}, not ${requested}` : `order ${data.id}, not ${id}`;
  const method = requested === undefined ? 'GET' : 'PATCH';
  const path = `/v1/orders/${id}`;
  throw new InvalidResponseError(`${method} ${path} returned ${status} with ${what}.`, {
    code: 'contract_mismatch',
    status,
    headers,
    requestId,
    method,
    path,
    mayHaveBeenApplied: requested !== undefined,
  });
}
