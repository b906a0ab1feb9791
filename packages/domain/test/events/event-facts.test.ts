import { describeRecipients, type EventType, eventFacts, eventTypes } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/event';
import type { Listing } from '../../src/listings/listing';
import { changeStatus, type OrderMutation, placeOrder } from '../../src/orders/order';
import { aCaller, aContext, aListing, noon } from '../helpers/builders';

const sellOut: Partial<Listing> = { availableQuantity: 10, lowThreshold: 10 };

function place(overrides: Partial<Listing>): OrderMutation {
  const listing = aListing(overrides);
  return placeOrder(aCaller(), { listingId: listing.id, quantity: 3 }, listing, aContext());
}

function change({ order, listing, task }: OrderMutation): DomainEvent[] {
  const caller = aCaller({ kind: 'seller', accountId: order.sellerId });
  const request = { caller, id: order.id, to: 'fulfilling', ifMatch: undefined } as const;
  return changeStatus(request, { order, listing, task }, aContext(noon + 1))?.events ?? [];
}

const placed = place(sellOut);
const changed = change(placed);
const events = [...placed.events, ...changed];

const listTypes = (list: DomainEvent[]): EventType[] => list.map(({ eventType }) => eventType);

/** Returns the events of the same change that come after an event. */
function listCompanions(type: EventType, change: DomainEvent[]): EventType[] {
  const types = listTypes(change);
  return types.slice(types.indexOf(type) + 1);
}

describe.each(eventTypes)('the facts of %s', (type) => {
  const facts = eventFacts[type];
  const event = events.find(({ eventType }) => eventType === type);

  test('name the accounts that get it', () => {
    const { buyerId, sellerId, agentId } = placed.order;
    const accounts = { buyer: buyerId, seller: sellerId, agent: agentId, owner: null };
    expect(event?.recipients).toEqual(facts.recipients.map((kind) => accounts[kind]));
  });

  test('say whether its deliveries have the version of the order', () => {
    expect(event?.orderVersion !== null).toBe(facts.hasOrderVersion);
  });

  test('list the events of the same change that come after it', () => {
    const companions = [placed.events, changed]
      .filter((change) => listTypes(change).includes(type))
      .flatMap((change) => listCompanions(type, change));
    expect(companions.sort()).toEqual(facts.cameWith.map(({ event: other }) => other).sort());
  });

  test('name the recipients in words', () => {
    const words = describeRecipients(type);
    for (const kind of facts.recipients) expect(words).toContain(kind);
    expect(words).toContain(`of the ${facts.subject}`);
  });
});

test('without an agent, no event about a task happens, and no one else gets the others', () => {
  const alone = place({ ...sellOut, agentId: null });
  const without = [...alone.events, ...change(alone)];
  expect(listTypes(without)).toEqual([
    'order.created',
    'listing.availability_low',
    'order.status_changed',
  ]);
  const { buyerId, sellerId } = alone.order;
  expect(without.map(({ recipients }) => recipients)).toEqual([
    [buyerId, sellerId],
    [sellerId],
    [buyerId, sellerId],
  ]);
});
