import type { Order, Tradepost } from '@tradepost/sdk';
import { failureOf, noFailure } from '../bulk/outcome';
import { CliError } from '../cli-error';
import type { StatusChange, StatusOutcome } from './status-change';

/** What of the client is needed. */
export type OrdersClient = Pick<Tradepost['orders'], 'get' | 'update'>;

/** What came of one order, with what it ended in where it was changed, or with why it was not. */
export interface OrderChanged {
  outcome: StatusOutcome;
  /** The order as it is; null when it could not be had. */
  order: Order | null;
  /** Why it failed or was skipped; null when neither. */
  error: unknown;
}

/** What is to be known where a condition cannot be kept by the service. */
export const unguardedNote =
  'This service sends no ETag: what somebody else changes between the look and the change is not seen.';

/** How an order is to be changed. */
export interface ChangeOrderOptions extends StatusChange {
  /** Whether an earlier attempt may have changed it: it is looked at before it is changed again. */
  inDoubt: boolean;
  /** Whether it is looked at only. */
  dryRun: boolean;
  /** Hears that the condition is only looked at: the service sends no `ETag`. */
  onUnguarded?: () => void;
  /** Ends it at once, and leaves open whether it was done; without it nothing does. */
  signal?: AbortSignal;
}

/**
 * Moves one order to a status, or tells what that would do. It never rejects: what goes wrong is an
 * outcome.
 *
 * With a condition the order is looked at first, and changed only if nobody changed it since
 * (`If-Match`). A service that sends no `ETag` leaves a moment between the two.
 */
export async function changeOrder(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
): Promise<OrderChanged> {
  const { status, ifStatus, signal } = change;
  let found: Order | null = null;
  try {
    let ifMatch: string | undefined;
    if (ifStatus !== null || change.inDoubt || change.dryRun) {
      const { data, headers } = await orders.get(id, { signal }).withResponse();
      checkAnswer(data, id);
      found = data;
      if (found.status === status) return ended('unchanged', found, found);
      if (ifStatus !== null) {
        if (found.status !== ifStatus) throw guardFailed(found, ifStatus);
        ifMatch = headers.get('etag') ?? undefined;
        if (ifMatch === undefined) change.onUnguarded?.();
      }
      if (change.dryRun) return ended('would-change', found, { ...found, status });
    }
    const begunAt = performance.now();
    const answer = await orders.update(id, { status }, { ifMatch, signal }).withResponse();
    checkAnswer(answer.data, id, status);
    const took = performance.now() - begunAt;
    const wasSo = found === null && wasChangedBefore(answer.data, answer.headers, took);
    return ended(wasSo ? 'unchanged' : 'done', found, answer.data);
  } catch (error) {
    const isLeftAlone = error instanceof CliError && error.code === 'guard_failed';
    return {
      outcome: {
        id,
        outcome: isLeftAlone || isPreconditionFailed(error) ? 'skipped' : 'failed',
        from: found?.status ?? null,
        // Somebody changed it since it was looked at: to what is not known.
        to: isLeftAlone ? (found?.status ?? null) : null,
        ...failureOf(error),
      },
      order: found,
      error,
    };
  }
}

/** The clock of a proxy that dates the answers may differ from that of the service so much, in milliseconds. */
const clockTolerance = 60_000;

/**
 * Whether the last change of an order is older than the call that was to change it: then it was so
 * already.
 *
 * @param took how long the call took, with its repetitions, in milliseconds
 */
function wasChangedBefore(
  { updatedAt }: Order,
  headers: Pick<Headers, 'get'>,
  took: number,
): boolean {
  const begunAt = Date.parse(headers.get('date') ?? '') - took;
  return Date.parse(updatedAt) + clockTolerance < begunAt;
}

function ended(
  outcome: 'done' | 'unchanged' | 'would-change',
  before: Order | null,
  after: Order,
): OrderChanged {
  const { id, status: to } = after;
  return {
    outcome: { id, outcome, from: before?.status ?? null, to, ...noFailure },
    order: after,
    error: null,
  };
}

/**
 * @param status what it was moved to; undefined when it was only looked at
 * @throws {CliError} `wrong_answer` when an answer is of another order, or of another status.
 */
function checkAnswer(order: Order, id: string, status?: string): void {
  if (order.id === id && (status === undefined || order.status === status)) return;
  const what =
    order.id === id ? `status ${order.status}, not ${status}` : `order ${order.id}, not ${id}`;
  const doubt = status === undefined ? '' : ': whether the order was moved is not known';
  throw new CliError(
    'wrong_answer',
    `the service answered ${what}${doubt}`,
    `\`tradepost orders get ${id}\` shows where it stands.`,
  );
}

function guardFailed(order: Order, ifStatus: string): CliError {
  return new CliError(
    'guard_failed',
    `the order is ${order.status}, not ${ifStatus}: it was left alone`,
    `\`tradepost orders get ${order.id}\` shows it.`,
  );
}

/** Whether somebody changed the order since it was looked at. */
export function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailedError';
}
