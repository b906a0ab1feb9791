import { signDelivery } from '@tradepost/sdk/testing';
import type { EventType } from '../../packages/contract/src/events/event';
import { eventFacts } from '../../packages/contract/src/events/event-facts';
import { sampleEvents } from '../../packages/contract/src/vectors/genuine';
import { eventId, now, secrets } from '../../packages/contract/src/vectors/vector';

/** A complete delivery with its signatures. */
export interface SampleDelivery {
  /** The secret that signs it: that of the test vectors. */
  secret: string;
  /** When it is sent, in seconds since 1970: the time of the test vectors. */
  sentAt: number;
  /** The headers in their documented spelling. */
  headers: Readonly<Record<string, string>>;
  /** The raw body. */
  body: string;
}

/** The sequence number of the sample in the event log, near its time. */
const sequence = now * 1_000 * 1_024;

/** Whether the event is one of a new order, whose version is 1. */
function isOfNewOrder(type: EventType): boolean {
  const { cameWith } = eventFacts['order.created'];
  return type === 'order.created' || cameWith.some(({ event }) => event === type);
}

/** Signs a delivery of the contract's sample event of a type. The same each time. */
export async function sampleDelivery(type: EventType): Promise<SampleDelivery> {
  const event = sampleEvents.find((sample) => sample.event === type);
  const body = JSON.stringify(event);
  const { current: secret } = secrets;
  const { hasOrderVersion } = eventFacts[type];
  const orderVersion = hasOrderVersion ? (isOfNewOrder(type) ? 1 : 2) : null;
  const { headers } = await signDelivery({
    body,
    secret,
    id: eventId,
    sentAt: now * 1_000,
    position: { sequence, orderVersion },
  });
  return { secret, sentAt: now, headers, body };
}
