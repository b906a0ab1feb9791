import type { AccountEvent, Tradepost } from '@tradepost/sdk';
import { checkRecord } from '../check-record';
import type { OrderChange } from './order-change';

/**
 * What happens to orders, from the account's events (an extension) as they happen. It ends when the
 * signal aborts.
 *
 * @param since ISO 8601; null for from now on
 */
export async function* changesOfEvents(
  { events }: Pick<Tradepost, 'events'>,
  since: string | null,
  signal: AbortSignal,
): AsyncIterable<OrderChange> {
  const from = since ?? (await presentMoment(events, signal));
  for await (const event of events.follow({ since: from }, { signal })) {
    const change = changeOf(event);
    if (change !== null) yield change;
  }
}

/** The present moment on the service's clock: this machine's may be ahead, and would miss events. */
async function presentMoment(events: Tradepost['events'], signal: AbortSignal): Promise<string> {
  const localNow = new Date().toISOString();
  const { headers } = await events.list({ since: localNow, limit: 1 }, { signal }).withResponse();
  const told = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(told) ? localNow : new Date(told).toISOString();
}

function changeOf(event: AccountEvent): OrderChange | null {
  const { createdAt } = checkRecord(event);
  switch (event.event) {
    case 'order.created': {
      const { orderId, status } = checkRecord(event.data);
      return { createdAt, event: event.event, orderId, from: null, to: status };
    }
    case 'order.status_changed': {
      const { orderId, previousStatus, status } = checkRecord(event.data);
      return { createdAt, event: event.event, orderId, from: previousStatus, to: status };
    }
    default:
      return null;
  }
}
