import type { AccountEvent } from '@tradepost/sdk';
import { assertObject, CliError, isRecord } from '../errors/cli-error';

/** An event that an order causes follows its creation within this, in milliseconds. */
const causedWithinMs = 1_000;

/**
 * Selects the events of an order from those that a service sent for it. An event that names no order is kept if
 * it is `listing.availability_low` of the order's listing, at the time at which the order was created: the order
 * caused it.
 *
 * @throws {CliError} `invalid_response` for events of other orders: the service ignored the filter
 */
export function selectOrderEvents(
  events: readonly AccountEvent[],
  orderId: string,
): AccountEvent[] {
  const own = events.filter((event) => {
    const named = getData(event).orderId;
    if (named === undefined || named === orderId) return named === orderId;
    throw new CliError(
      'invalid_response',
      'The service does not select the events of one order',
      'The history is an extension of the API that this service does not have.',
    );
  });
  const created = own.find(({ event }) => event === 'order.created');
  return events.filter(
    (event) => own.includes(event) || (created !== undefined && isCausedBy(created, event)),
  );
}

function isCausedBy(created: AccountEvent, event: AccountEvent): boolean {
  if (event.event !== 'listing.availability_low') return false;
  const delayMs = Date.parse(event.createdAt) - Date.parse(created.createdAt);
  const isSameListing = getData(event).listingId === getData(created).listingId;
  return isSameListing && delayMs >= 0 && delayMs <= causedWithinMs;
}

/** Returns the data of an event, whose fields are not checked. */
function getData(event: AccountEvent): Record<string, unknown> {
  const { data }: { data: unknown } = assertObject(event);
  return isRecord(data) ? data : {};
}
