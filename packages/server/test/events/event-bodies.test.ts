import { eventKinds, webhookEventSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/domain-event';
import { notificationsOf, presentNotification } from '../../src/notifications/notification';
import { changeStatus } from '../../src/orders/change-status';
import { placeOrder } from '../../src/orders/place-order';
import { aCaller, aListing, aMoment, noon } from '../builders';

/** One event of each kind, made by the domain itself. */
function everyEvent(): DomainEvent[] {
  const listing = aListing({ availableQuantity: 10, lowThreshold: 10 });
  const wish = { listingId: listing.id, quantity: 3 };
  const placed = placeOrder(aCaller(), wish, listing, aMoment());
  const { order, task } = placed;
  const caller = aCaller({ kind: 'seller', accountId: order.sellerId });
  const changed = changeStatus(
    { caller, id: order.id, to: 'fulfilling', ifMatch: undefined },
    { order, listing: placed.listing, task },
    aMoment(noon + 1),
  );
  return [...placed.events, ...(changed?.events ?? [])];
}

const events = everyEvent();

describe('events', () => {
  test('there is one of each kind', () => {
    expect(events.map(({ kind }) => kind).sort()).toEqual([...eventKinds].sort());
  });

  describe.each(events)('$kind', (event) => {
    const envelope = JSON.parse(event.body);

    test('is rendered with exactly event, createdAt and data, in this order', () => {
      expect(Object.keys(envelope)).toEqual(['event', 'createdAt', 'data']);
      expect(envelope.event).toBe(event.kind);
      expect(envelope.createdAt).toBe(new Date(event.createdAt).toISOString());
    });

    test('is rendered without a space, so that its bytes are what its JSON makes of it', () => {
      expect(JSON.stringify(envelope)).toBe(event.body);
    });

    test('is what the contract says, no field less and none more', () => {
      expect(webhookEventSchema.parse(envelope)).toEqual(envelope);
    });

    test('has an id that the body does not carry', () => {
      expect(event.id).toMatch(/^evt_/);
      expect(event.body).not.toContain(event.id);
    });

    test('makes one unread notification for each recipient, of the type that its name spells', () => {
      const notifications = notificationsOf(event, aMoment(noon + 5));
      expect(notifications.map(({ accountId }) => accountId)).toEqual(event.recipients);
      for (const notification of notifications) {
        expect(presentNotification(notification)).toEqual({
          id: expect.stringMatching(/^ntf_/),
          type: event.kind.replace('.', '_'),
          orderId: event.orderId,
          message: event.message,
          read: false,
          createdAt: envelope.createdAt,
        });
      }
    });
  });
});
