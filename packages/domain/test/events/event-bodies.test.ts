import { readFileSync } from 'node:fs';
import { eventTypes, webhookEventSchema } from '@tradepost/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { createNotifications } from '../../src/deliveries/delivery';
import type { DomainEvent } from '../../src/events/event';
import { toNotificationResponse } from '../../src/notifications/notification';
import { changeStatus, placeOrder } from '../../src/orders/order';
import { aCaller, aContext, aListing, noon } from '../helpers/builders';

/** One event of each type, created by the domain itself. */
function everyEvent(): DomainEvent[] {
  const listing = aListing({ availableQuantity: 10, lowThreshold: 10 });
  const wish = { listingId: listing.id, quantity: 3 };
  const placed = placeOrder(aCaller(), wish, listing, aContext());
  const { order, task } = placed;
  const caller = aCaller({ kind: 'seller', accountId: order.sellerId });
  const changed = changeStatus(
    { caller, id: order.id, to: 'fulfilling', ifMatch: undefined },
    { order, listing: placed.listing, task },
    aContext(noon + 1),
  );
  return [...placed.events, ...(changed?.events ?? [])];
}

const events = everyEvent();

const ajv = formats.default(new Ajv2020());

/** Compiles a JSON Schema that the contract ships. */
function compileSchema(name: string) {
  const file = new URL(import.meta.resolve(`@tradepost/contract/schemas/${name}.json`));
  return ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
}

const isEvent = compileSchema('events/any');
const isNotification = compileSchema('records/notification');

describe('among the events of the domain', () => {
  test('there is one of each event type', () => {
    expect(events.map(({ eventType }) => eventType).sort()).toEqual([...eventTypes].sort());
  });

  describe.each(events)('$eventType', (event) => {
    const envelope = JSON.parse(event.body);

    test('is serialized with exactly event, createdAt and data, in this order', () => {
      expect(Object.keys(envelope)).toEqual(['event', 'createdAt', 'data']);
      expect(envelope.event).toBe(event.eventType);
      expect(envelope.createdAt).toBe(new Date(event.createdAt).toISOString());
    });

    test('is serialized without spaces, exactly as JSON.stringify does', () => {
      expect(JSON.stringify(envelope)).toBe(event.body);
    });

    test('matches the contract exactly, without missing or additional fields', () => {
      expect(webhookEventSchema.parse(envelope)).toEqual(envelope);
    });

    test('is accepted by the JSON Schemas', () => {
      const isOfType = compileSchema(`events/${event.eventType}`);
      expect([isOfType(envelope), isOfType.errors]).toEqual([true, null]);
      expect([isEvent(envelope), isEvent.errors]).toEqual([true, null]);
      for (const notification of createNotifications(event, aContext(noon + 5))) {
        expect(isNotification(toNotificationResponse(notification))).toBe(true);
      }
    });

    test('has an ID that is not in the body', () => {
      expect(event.id).toMatch(/^evt_/);
      expect(event.body).not.toContain(event.id);
    });

    test('creates one unread notification for each recipient, with the type of its name', () => {
      const notifications = createNotifications(event, aContext(noon + 5));
      expect(notifications.map(({ accountId }) => accountId)).toEqual(event.recipients);
      for (const notification of notifications) {
        expect(toNotificationResponse(notification)).toEqual({
          id: expect.stringMatching(/^ntf_/),
          type: event.eventType.replace('.', '_'),
          orderId: event.orderId,
          message: event.message,
          read: false,
          createdAt: envelope.createdAt,
        });
      }
    });
  });
});
