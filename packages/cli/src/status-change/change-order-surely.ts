import { isTradepostError, RateLimitError } from '@tradepost/sdk';
import { mayBeDone } from '../may-be-done';
import type { Terminal } from '../terminal';
import {
  type ChangeOrderOptions,
  changeOrder,
  type OrderChanged,
  type OrdersClient,
} from './change-order';

/** How long to wait before each further try, in milliseconds, unless the service asks for more. */
const pauses = [500, 2_000, 8_000];

/** What is needed to try again. */
export interface Tries {
  /** No further try is made once it is aborted. */
  interrupted: AbortSignal;
  /** Hears that the service asks for time. */
  onLimited: () => void;
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
  let isSent = false;
  for (const pause of pauses) {
    const { error, outcome } = changed;
    const isLimited = isTradepostError(error) && error.status === 429;
    const isLost = !isLimited && isWorthAnotherLook(error, change);
    if (interrupted.aborted || !(isLimited || isLost)) return changed;
    if (isLimited) onLimited();
    isSent ||= isLost;
    const asked = error instanceof RateLimitError ? (error.retryAfter ?? 0) * 1_000 : 0;
    await wait(Math.max(pause, asked), interrupted);
    if (interrupted.aborted) return changed;
    changed = await changeOrder(orders, id, { ...change, inDoubt: change.inDoubt || isLost });
    // It was not so when it was looked at first: the try without an answer did it.
    if (isSent && changed.outcome.outcome === 'unchanged') {
      const { from } = outcome;
      return { ...changed, outcome: { ...changed.outcome, outcome: 'done', from } };
    }
  }
  return changed;
}

/** Whether a guarded change may have been made, or can be tried again since it was not sent. */
function isWorthAnotherLook(error: unknown, { ifStatus }: ChangeOrderOptions): boolean {
  if (ifStatus === null || !isTradepostError(error) || error.method !== 'PATCH') return false;
  const { code } = error;
  if (code === 'aborted' || code === 'unreadable_answer') return false;
  return code === 'connection_failed' || mayBeDone(error);
}
