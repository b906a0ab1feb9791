import type { EventType } from '@tradepost/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fanOut, retryWindowMs } from '../../src/deliveries/delivery';
import { createEvent, type DomainEvent } from '../../src/events/event';
import { aContext, noon } from '../helpers/builders';

const task = { taskId: 'tsk_1', orderId: 'ord_1', agentId: 'usr_agent' };

const hasRoom = () => true;

function anEvent(recipients: (string | null)[]): DomainEvent {
  const about = { orderId: 'ord_1', orderVersion: 1, recipients, message: 'A task is open.' };
  return createEvent({ event: 'task.approval_requested', data: task }, about, aContext());
}

describe('the fan-out of an event', () => {
  test('creates a notification for each recipient, and a delivery for each of their subscribed webhooks', () => {
    const webhooks: Record<string, string[]> = {
      usr_a: ['whk_1', 'whk_2'],
      usr_b: [],
      usr_c: ['whk_3'],
    };
    const event = anEvent(['usr_a', 'usr_b', 'usr_c']);
    const subscribed = (accountIds: string[]) =>
      accountIds.flatMap((accountId) =>
        (webhooks[accountId] ?? []).map((webhookId) => ({ accountId, webhookId })),
      );
    const { notifications, deliveries } = fanOut(event, subscribed, hasRoom, aContext(noon + 5));
    expect(notifications.map(({ accountId }) => accountId)).toEqual(['usr_a', 'usr_b', 'usr_c']);
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual(['whk_1', 'whk_2', 'whk_3']);
    expect(deliveries[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventId: event.id,
      webhookId: 'whk_1',
      eventType: 'task.approval_requested',
      test: false,
      state: 'pending',
      nextAttemptAt: noon + 5,
      deadlineAt: noon + retryWindowMs,
      createdAt: noon + 5,
    });
  });

  test("looks up subscriptions to the event's own type", () => {
    const lookups: [string[], EventType][] = [];
    const subscribed = (accountIds: string[], kind: EventType) => {
      lookups.push([accountIds, kind]);
      return [];
    };
    fanOut(anEvent(['usr_a', 'usr_b']), subscribed, hasRoom, aContext());
    expect(lookups).toEqual([[['usr_a', 'usr_b'], 'task.approval_requested']]);
  });

  test('notifies an account once if it has two roles', () => {
    const { notifications, deliveries } = fanOut(
      anEvent(['usr_a', null, 'usr_a']),
      (accountIds) =>
        accountIds.map((accountId) => ({ accountId, webhookId: `whk_of_${accountId}` })),
      hasRoom,
      aContext(),
    );
    expect(notifications).toHaveLength(1);
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual(['whk_of_usr_a']);
  });

  test('fails the deliveries of an account that has no room for them, and no others', () => {
    const subscribed = (accountIds: string[]) =>
      accountIds.map((accountId) => ({ accountId, webhookId: `whk_of_${accountId}` }));
    const isOther = (accountId: string) => accountId !== 'usr_a';
    const { notifications, deliveries } = fanOut(
      anEvent(['usr_a', 'usr_b']),
      subscribed,
      isOther,
      aContext(),
    );
    expect(deliveries.map(({ state }) => state)).toEqual(['failed', 'pending']);
    expect(notifications).toHaveLength(2);
  });

  test('gives each part its own ID, and all the same event', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid()), fc.nat(20), (accounts, count) => {
        const event = anEvent(accounts);
        const subscribed = (accountIds: string[]) =>
          accountIds.flatMap((accountId) =>
            Array.from({ length: count }, (_, index) => ({
              accountId,
              webhookId: `whk_${accountId}_${index}`,
            })),
          );
        const { notifications, deliveries } = fanOut(event, subscribed, hasRoom, aContext());
        expect(notifications).toHaveLength(accounts.length);
        expect(deliveries).toHaveLength(accounts.length * count);
        const all = [...notifications, ...deliveries];
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
        expect(all.every(({ eventId }) => eventId === event.id)).toBe(true);
      }),
    );
  });
});
