import { describe, expect, test } from 'vitest';
import { eventKinds, type WebhookEvent, webhookEventSchema } from '../src/index';

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
];

test('there is an event of each kind', () => {
  expect(events.map(({ event }) => event)).toEqual([...eventKinds]);
});

describe.each(events)('$event', (event) => {
  test('is read as it was sent', () => {
    expect(webhookEventSchema.parse(event)).toEqual(event);
  });

  test('is not known by `type`: the envelope has `event`', () => {
    const { event: type, ...rest } = event;
    const refused = webhookEventSchema.safeParse({ type, ...rest });
    expect(refused.success).toBe(false);
    expect(refused.error?.issues).toMatchObject([{ path: ['event'] }]);
  });

  test('needs each field of its envelope and of its data', () => {
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

  test('may gain fields that this version does not know', () => {
    const later = { ...event, data: { ...event.data, colour: 'green' }, version: 2 };
    expect(webhookEventSchema.parse(later)).toEqual(event);
  });
});

test('data of one kind is not taken for that of another', () => {
  const [created, changed] = events;
  expect(webhookEventSchema.safeParse({ ...created, data: changed?.data }).success).toBe(false);
});
