import { describe, expect, test } from 'vitest';
import {
  allEventTypes,
  eventTypes,
  extensionEventTypes,
  type WebhookEvent,
  webhookEventSchema,
} from '../../src/index';

const createdAt = '2026-11-21T09:30:00.000Z';
const task = { taskId: 'tsk_1', orderId: 'ord_1', agentId: 'usr_3' };

const events: WebhookEvent[] = [
  {
    event: 'order.created',
    createdAt,
    data: {
      orderId: 'ord_1',
      buyerId: 'usr_1',
      sellerId: 'usr_2',
      agentId: null,
      listingId: 'lst_1',
      quantity: 25,
      status: 'pending',
    },
  },
  {
    event: 'order.status_changed',
    createdAt,
    data: { orderId: 'ord_1', previousStatus: 'pending', status: 'fulfilling' },
  },
  { event: 'task.approval_requested', createdAt, data: task },
  { event: 'task.completed', createdAt, data: task },
  {
    event: 'listing.availability_low',
    createdAt,
    data: { listingId: 'lst_1', sellerId: 'usr_2', availableQuantity: 0, threshold: 10 },
  },
  {
    event: 'webhook.disabled',
    createdAt,
    data: {
      webhookId: 'whk_1',
      url: 'https://receiver.example/tradepost',
      failingSince: createdAt,
      disabledAt: createdAt,
      lastStatus: null,
      lastError: 'timeout',
    },
  },
];

test('the types are those of the API specification and of the extension', () => {
  expect(allEventTypes).toEqual([...eventTypes, ...extensionEventTypes]);
  expect(eventTypes).toHaveLength(5);
});

test('there is an event of each type', () => {
  expect(events.map(({ event }) => event)).toEqual([...allEventTypes]);
});

describe.each(events)('$event', (event) => {
  test('parses unchanged', () => {
    expect(webhookEventSchema.parse(event)).toEqual(event);
  });

  test('rejects an envelope with `type` in the place of `event`', () => {
    const { event: type, ...rest } = event;
    const rejected = webhookEventSchema.safeParse({ type, ...rest });
    expect(rejected.success).toBe(false);
    expect(rejected.error?.issues).toMatchObject([{ path: ['event'] }]);
  });

  test('requires each field of its envelope and of its data', () => {
    for (const name of Object.keys(event)) {
      expect(webhookEventSchema.safeParse({ ...event, [name]: undefined }).success, name).toBe(
        false,
      );
    }
    for (const name of Object.keys(event.data)) {
      const data = { ...event.data, [name]: undefined };
      expect(webhookEventSchema.safeParse({ ...event, data }).success, name).toBe(false);
    }
  });

  test('accepts unknown fields', () => {
    const later = { ...event, data: { ...event.data, colour: 'green' }, version: 2 };
    expect(webhookEventSchema.parse(later)).toEqual(event);
  });
});

test('a change of status may have a reason of any length, and needs none', () => {
  const [, changed] = events;
  const withReason = (reason: unknown) => ({ ...changed, data: { ...changed?.data, reason } });
  for (const reason of ['The buyer has paid.', 'x'.repeat(2_000)]) {
    expect(webhookEventSchema.parse(withReason(reason))).toEqual(withReason(reason));
  }
  for (const reason of [null, 7, undefined]) {
    expect(webhookEventSchema.safeParse(withReason(reason)).success).toBe(false);
  }
});

test('the data of one event type is rejected for another', () => {
  const [created, changed] = events;
  expect(webhookEventSchema.safeParse({ ...created, data: changed?.data }).success).toBe(false);
});
