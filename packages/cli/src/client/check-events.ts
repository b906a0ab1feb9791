import type { AccountEvent } from '@tradepost/sdk';
import { assertObject, CliError, isRecord } from '../errors/cli-error';

/**
 * Checks that a service sent only events of one order. An event that names no order passes: a service that ignores
 * the filter also sends some that name another.
 *
 * @throws {CliError} `invalid_response` for an event of another order
 */
export function assertEventsOfOrder(events: readonly AccountEvent[], orderId: string): void {
  for (const event of events) {
    const named = getOrderId(event);
    if (named === null || named === orderId) continue;
    throw new CliError(
      'invalid_response',
      'The service does not select the events of one order',
      'The history is an extension of the API that this service does not have.',
    );
  }
}

/**
 * Selects the history of an order from all events that a service sent for it: all but
 * `listing.availability_low` of another listing.
 *
 * @throws {CliError} `invalid_response` for an event of another order
 */
export function selectHistory(events: readonly AccountEvent[], orderId: string): AccountEvent[] {
  assertEventsOfOrder(events, orderId);
  const created = events.find(({ event }) => event === 'order.created');
  const listingId = created && getData(created).listingId;
  return events.filter((event) => {
    const named = getData(event).listingId;
    const isOfOther = Boolean(named && listingId) && named !== listingId;
    return event.event !== 'listing.availability_low' || !isOfOther;
  });
}

/** Returns the order that an event names; null if it names none. Services differ in the data of their events. */
function getOrderId(event: AccountEvent): unknown {
  const { orderId, id } = getData(event);
  const isAboutOrder = String(event.event).startsWith('order.');
  return orderId ?? (isAboutOrder ? id : null) ?? null;
}

/** Returns the data of an event, whose fields are not checked. */
function getData(event: AccountEvent): Record<string, unknown> {
  const { data }: { data: unknown } = assertObject(event);
  return isRecord(data) ? data : {};
}
