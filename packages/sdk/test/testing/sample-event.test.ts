import { webhookEventSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { sampleEvent } from '../../src/testing/index';
import { allEventTypes } from '../../src/webhooks/index';

describe('sampleEvent', () => {
  test.each(allEventTypes)(
    "creates a %s that matches the contract, with fields in the service's order",
    (kind) => {
      const event = sampleEvent(kind);
      expect(webhookEventSchema.parse(event)).toEqual(event);
      expect(Object.keys(event)).toEqual(['event', 'createdAt', 'data']);
      expect(event.event).toBe(kind);
    },
  );

  test('creates an equal event at every call, and no two calls share an object', () => {
    const [one, other] = [sampleEvent('order.created'), sampleEvent('order.created')];
    expect(one).toEqual(other);
    one.data.quantity += 1;
    expect(one).not.toEqual(other);
    expect(sampleEvent('order.created')).toEqual(other);
  });

  test('applies overrides', () => {
    const createdAt = '2027-01-01T00:00:00.000Z';
    const event = sampleEvent('order.created', { createdAt, data: { quantity: 3, agentId: null } });
    expect(event).toMatchObject({
      createdAt,
      data: { quantity: 3, agentId: null, status: 'pending' },
    });
  });
});
