import { isTradepostError, RateLimitError } from '@tradepost/sdk';
import { CliError } from '../cli-error';
import { mayBeDone } from '../may-be-done';
import type { Terminal } from '../terminal';
import {
  type ChangeOrderOptions,
  changeOrder,
  isPreconditionFailed,
  type OrderChanged,
  type OrdersClient,
} from './change-order';

/** How long to wait before each further try, in milliseconds, unless the service asks for more. */
const pauses = [500, 2_000, 8_000];

/** A service that asks for more time than so many milliseconds is not waited for. */
const longestPause = 300_000;

/** What is needed to try again. */
export interface Tries {
  /** No further try is made once it is aborted. */
  interrupted: AbortSignal;
  /** Hears that the service asks for time, and how long that is in milliseconds. */
  onLimited: (pause: number) => void;
  /** How it waits between two tries. */
  wait: Terminal['wait'];
}

/**
 * Moves one order as `changeOrder` does, and tries again what may pass: a limit of the service, and a
 * guarded change that got no clear answer. The client cannot repeat that one by itself: an order that it
 * did move would no longer match. So it is looked at anew.
 */
export async function changeOrderSurely(
  orders: OrdersClient,
  id: string,
  change: ChangeOrderOptions,
  { interrupted, onLimited, wait }: Tries,
): Promise<OrderChanged> {
  let changed = await changeOrder(orders, id, change);
  /** The try that may have moved it, of which no clear answer came. */
  let lost: OrderChanged | null = null;
  for (const pause of pauses) {
    const { error } = changed;
    const asked = error instanceof RateLimitError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const isLimited = isTradepostError(error) && error.status === 429 && asked <= longestPause;
    const isUnclear = isUnclearChange(error, change);
    // What no longer matches may be so by that try, which a slow service is only now done with.
    const isByUs = lost !== null && isPreconditionFailed(error);
    if (interrupted.aborted || !(isLimited || isUnclear || isByUs)) break;
    if (isUnclear && mayBeDone(error)) lost = changed;
    const next = Math.max(pause, asked);
    if (isLimited) onLimited(next);
    await wait(next, interrupted);
    if (interrupted.aborted) break;
    changed = await changeOrder(orders, id, {
      ...change,
      inDoubt: change.inDoubt || lost !== null,
    });
  }
  return lost === null ? changed : inLightOf(lost, changed);
}

/** What came of an order of which an earlier try may have moved it. */
function inLightOf(lost: OrderChanged, last: OrderChanged): OrderChanged {
  const { outcome } = last;
  const { id, from } = lost.outcome;
  // It was not so when it was looked at first: the try without an answer did it.
  if (outcome.outcome === 'unchanged') {
    return { ...last, outcome: { ...outcome, outcome: 'done', from } };
  }
  if (outcome.outcome === 'skipped') {
    const now = outcome.to === null ? 'changed since' : outcome.to;
    const doubt = new CliError(
      'in_doubt',
      `no clear answer came when it was moved, and it is ${now}: whether it was moved in between is not known`,
      `\`tradepost orders get ${id}\` shows where it stands.`,
    );
    const { code, message } = doubt;
    return {
      ...last,
      outcome: { ...outcome, outcome: 'failed', from, code, message },
      error: doubt,
    };
  }
  // That it could not be looked at again says nothing of whether it was moved.
  return last.order === null ? lost : last;
}

/** Whether a guarded change may have been made, or can be tried again since it was not sent. */
function isUnclearChange(error: unknown, { ifStatus }: ChangeOrderOptions): boolean {
  if (ifStatus === null || !isTradepostError(error) || error.method !== 'PATCH') return false;
  const { code, status } = error;
  if (code === 'aborted' || code === 'unreadable_answer' || status === 429) return false;
  return code === 'connection_failed' || mayBeDone(error);
}
