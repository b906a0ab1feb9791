import { type AccountEvent, isTradepostError, type Tradepost } from '@tradepost/sdk';
import { selectOrderEvents } from '../../../client/check-events';
import { CliError, isRecord } from '../../../errors/cli-error';
import type { View } from '../../../output/format';

/**
 * Gets the events of an order, oldest first, as far as the service still stores them.
 *
 * @throws {CliError} `invalid_response` if the service lists events of other orders too
 */
export async function fetchHistory(
  { events }: Pick<Tradepost, 'events'>,
  orderId: string,
  request: { signal: AbortSignal },
): Promise<AccountEvent[]> {
  const found: AccountEvent[] = [];
  for await (const { data } of events.list({ orderId, limit: 100 }, request).pages()) {
    found.push(...data);
    // Before the next page: without the filter, a service has the events of all orders.
    selectOrderEvents(data, orderId);
  }
  return selectOrderEvents(found, orderId);
}

/** Whether an error of `fetchHistory` says that the service has no such extension. */
export function lacksHistory(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'invalid_response';
  return isTradepostError(error) && [400, 404, 405, 422, 501].includes(error.status ?? 0);
}

/** A line of the history for people. */
interface HistoryRow {
  createdAt: string;
  change: string;
  reason: string;
}

export const historyView: View<HistoryRow> = {
  fields: ['createdAt', 'change', 'reason'],
  hasExactTimes: true,
  columns: [
    { title: 'AT', field: 'createdAt' },
    { title: 'CHANGE', field: 'change' },
    { title: 'REASON', field: 'reason', whenNarrow: 'shorten' },
  ],
};

/** Describes an event. The service may have events of its own. */
export function toHistoryRow(event: AccountEvent): HistoryRow {
  const { createdAt } = event;
  const row = (change: string, reason = '') => ({ createdAt, change, reason });
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
