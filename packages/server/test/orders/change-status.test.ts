import { orderStatuses } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/orders/change-status';
import { aCaller, aListing, aMoment, anOrder, aTask, noon } from '../builders';
import { refusalOf } from '../refusal';

const order = anOrder();
const listing = aListing({ id: order.listingId, availableQuantity: 90 });
const task = aTask({ orderId: order.id, agentId: order.agentId ?? '' });
const found = { order, listing, task };
const seller = aCaller({ accountId: order.sellerId, kind: 'seller' });
const agent = aCaller({ accountId: order.agentId ?? '', kind: 'agent' });
const buyer = aCaller({ accountId: order.buyerId });
const asked = { caller: seller, id: order.id, to: 'fulfilling', ifMatch: undefined } as const;

describe('changing the status of an order', () => {
  test.each([seller, agent])('the $kind moves it from pending to fulfilling', (caller) => {
    const moment = aMoment(noon + 60_000);
    const change = changeStatus({ ...asked, caller }, found, moment);
    expect(change).toMatchObject({
      order: { ...order, status: 'fulfilling', version: 2, updatedAt: noon + 60_000 },
      listing,
      task: { ...task, completedAt: noon + 60_000 },
    });
    expect(change?.events.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event: 'order.status_changed',
        createdAt: '2026-11-21T12:01:00.000Z',
        data: { orderId: order.id, previousStatus: 'pending', status: 'fulfilling' },
      },
      {
        event: 'task.completed',
        createdAt: '2026-11-21T12:01:00.000Z',
        data: { taskId: task.id, orderId: order.id, agentId: order.agentId },
      },
    ]);
  });

  test('the notification names the order and its new status', () => {
    const change = changeStatus(asked, found, aMoment());
    expect(change?.events[0]?.message).toContain(order.id);
    expect(change?.events[0]?.message).toContain('fulfilling');
  });

  test('cancelling gives the units back', () => {
    const change = changeStatus({ ...asked, to: 'cancelled' }, found, aMoment());
    expect(change?.listing.availableQuantity).toBe(100);
  });

  test('an order without a task completes none', () => {
    const change = changeStatus(asked, { ...found, task: null }, aMoment());
    expect(change?.task).toBeNull();
    expect(change?.events.map(({ kind }) => kind)).toEqual(['order.status_changed']);
  });

  test.each(orderStatuses)(
    'the status that it has, %s, is accepted and changes nothing',
    (status) => {
      const same = { ...found, order: { ...order, status } };
      expect(changeStatus({ ...asked, to: status }, same, aMoment())).toBeNull();
    },
  );

  test('a stranger of any kind is told no more than if it did not exist', () => {
    const missing = refusalOf(() => changeStatus(asked, null, aMoment()));
    for (const kind of ['buyer', 'seller', 'agent'] as const) {
      const caller = aCaller({ kind });
      const refusal = refusalOf(() => changeStatus({ ...asked, caller }, found, aMoment()));
      expect({ ...refusal }).toEqual({ ...missing });
      expect(refusal.code).toBe('order_not_found');
    }
  });

  test('the buyer is refused before anything else is told', () => {
    for (const ifMatch of [undefined, '"99"']) {
      for (const to of orderStatuses) {
        const wish = { ...asked, caller: buyer, to, ifMatch };
        expect(refusalOf(() => changeStatus(wish, found, aMoment())).code).toBe(
          'account_kind_not_allowed',
        );
      }
    }
  });

  test('an If-Match of another version is refused with the current tag, even where the move is illegal', () => {
    const wish = { ...asked, to: 'completed', ifMatch: '"7"' } as const;
    const refusal = refusalOf(() => changeStatus(wish, found, aMoment()));
    expect(refusal.code).toBe('precondition_failed');
    expect(refusal.detail).toContain('"1"');
    expect(refusal.detail).toContain('"7"');
  });

  test('an illegal move is refused with the moves that are open', () => {
    const refusal = refusalOf(() => changeStatus({ ...asked, to: 'completed' }, found, aMoment()));
    expect(refusal.code).toBe('illegal_transition');
    expect(refusal.detail).toContain('confirmed or fulfilling or cancelled');
    const final = { ...found, order: { ...order, status: 'cancelled' } as const };
    expect(refusalOf(() => changeStatus(asked, final, aMoment())).detail).toContain(
      'cancelled is final',
    );
  });
});
