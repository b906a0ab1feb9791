import { type EventType, eventTypes, webhookEventSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { createTestEvent } from '../../src/events/test-event';
import { aContext, noon } from '../helpers/builders';

/** Returns the IDs in an envelope's data. */
function idsIn(body: string): string[] {
  return body.match(/\b(?:ord|usr|lst|tsk)_TradepostTest[0-9A-Z]{26}\b/g) ?? [];
}

describe.each(eventTypes)('a test event of type %s', (eventType: EventType) => {
  const sample = createTestEvent(eventType, aContext());
  const envelope = JSON.parse(sample.body);

  test("matches the contract's schema of its type exactly", () => {
    expect(webhookEventSchema.parse(envelope)).toEqual(envelope);
    expect(envelope.event).toBe(eventType);
  });

  test('is serialized like any event: exactly event, createdAt and data, without spaces', () => {
    expect(Object.keys(envelope)).toEqual(['event', 'createdAt', 'data']);
    expect(envelope.createdAt).toBe(new Date(noon).toISOString());
    expect(JSON.stringify(envelope)).toBe(sample.body);
  });

  test('refers to no order, and has its own ID', () => {
    expect(sample).toMatchObject({ eventType, orderId: null, createdAt: noon });
    expect(sample.id).toMatch(/^evt_[0-9A-Z]{26}$/);
    expect(sample.body).not.toContain(sample.id);
  });

  test('has new IDs each time', () => {
    const own = idsIn(sample.body);
    const others = idsIn(createTestEvent(eventType, aContext()).body);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set([...own, ...others]).size).toBe(own.length + others.length);
  });
});
