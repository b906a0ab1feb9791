import type { AccountEvent, Tradepost } from '@tradepost/sdk';
import { checkRecord } from '../check-record';
import { type Following, followSteadily } from '../follow-steadily';
import { presentEnd } from '../present-end';
import type { Terminal } from '../terminal';
import type { OrderChange } from './order-change';

/**
 * What happens to orders, from the account's events (an extension) as they happen. It ends when it is
 * interrupted.
 *
 * @param since ISO 8601; null for from now on
 */
export async function* changesOfEvents(
  client: Pick<Tradepost, 'events'>,
  since: string | null,
  following: Omit<Following, 'from'>,
  terminal: Pick<Terminal, 'now' | 'elapsed' | 'wait' | 'signal'>,
): AsyncIterable<OrderChange> {
  const from = since === null ? await presentEnd(client, terminal) : { since };
  if (since === null) following.onContact?.();
  for await (const { data } of followSteadily(client, { ...following, from }, terminal)) {
    for (const event of data) {
      const change = changeOf(event);
      if (change !== null) yield change;
    }
  }
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
