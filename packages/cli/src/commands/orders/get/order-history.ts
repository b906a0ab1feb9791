import type { AccountEvent, Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../../../context';
import { isRecord } from '../../../errors/cli-error';
import { printNotice } from '../../../output/print';
import type { View } from '../../../output/view';
import { describeReason } from '../../../report/error-report';

/** Gets the events of an order, oldest first, as far as the service still stores them. */
export async function fetchHistory(
  events: Tradepost['events'],
  orderId: string,
  request: { signal: AbortSignal; maxRetries?: number },
): Promise<AccountEvent[]> {
  const all = { limit: Number.POSITIVE_INFINITY };
  return await events.list({ orderId, limit: 100 }, request).toArray(all);
}

/** The time for a history that was not requested by an option, in milliseconds. */
const historyTimeoutMs = 5_000;

/**
 * Gets the history of an order that is on the screen already. Without it, a notice says why.
 *
 * @returns null without a history
 * @throws {TradepostError} `aborted` after Ctrl-C
 */
export async function fetchHistoryIfPossible(
  events: Tradepost['events'],
  orderId: string,
  context: CliContext,
): Promise<AccountEvent[] | null> {
  const late = new AbortController();
  const ended = new AbortController();
  void context.wait(historyTimeoutMs, ended.signal).then(() => late.abort());
  const signal = AbortSignal.any([context.signal, late.signal]);
  try {
    return await fetchHistory(events, orderId, { signal, maxRetries: 0 });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const reason = late.signal.aborted
      ? `no complete response within ${historyTimeoutMs / 1_000} s`
      : describeReason(error);
    printNotice(context, `No history: ${reason}`);
    return null;
  } finally {
    ended.abort();
  }
}

interface HistoryRow {
  createdAt: string;
  change: string;
  /** Which of the order's accounts made it: each is of another kind. */
  by: string;
  reason: string;
}

export const historyView: View<HistoryRow> = {
  fields: ['createdAt', 'change', 'by', 'reason'],
  hasExactTimes: true,
  columns: [
    { title: 'AT', field: 'createdAt' },
    { title: 'CHANGE', field: 'change' },
    { title: 'BY', field: 'by' },
    { title: 'REASON', field: 'reason', whenNarrow: 'wrap' },
  ],
};

/** Describes an event. The service may have events of its own. */
export function toHistoryRow(event: AccountEvent): HistoryRow {
  const { createdAt } = event;
  const row = (change: string, reason = '') => ({
    createdAt,
    change,
    by: event.actor?.kind ?? '-',
    reason,
  });
  if (!isRecord(event.data)) return row(event.event);
  switch (event.event) {
    case 'order.created':
      return row(`created, ${event.data.status}`);
    case 'order.status_changed': {
      const { previousStatus, status, reason } = event.data;
      return row(`${previousStatus} → ${status}`, reason);
    }
    case 'task.approval_requested':
      return row('approval requested');
    case 'task.completed':
      return row('task completed');
    case 'listing.availability_low':
      return row(`${event.data.availableQuantity} left of the listing`);
    default:
      return row((event as AccountEvent).event);
  }
}
