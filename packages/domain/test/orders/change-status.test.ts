import { orderStatuses } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/orders/order';
import { aCaller, aContext, aListing, anOrderRecord, aTask, noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const order = anOrderRecord();
const listing = aListing({ id: order.listingId, availableQuantity: 90 });
const task = aTask({ orderId: order.id, agentId: order.agentId ?? '' });
const found = { order, listing, task };
const seller = aCaller({ accountId: order.sellerId, kind: 'seller' });
const agent = aCaller({ accountId: order.agentId ?? '', kind: 'agent' });
const buyer = aCaller({ accountId: order.buyerId });
const request = { caller: seller, id: order.id, to: 'fulfilling', ifMatch: undefined } as const;

describe('on a change of status,', () => {
  test.each([seller, agent])('the $kind changes it from pending to fulfilling', (caller) => {
    const context = aContext(noon + 60_000);
    const change = changeStatus({ ...request, caller }, found, context);
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

  test('the reason is in its event, and in no other text', () => {
    const change = changeStatus({ ...request, reason: 'Paid in cash.' }, found, aContext());
    const [changed, completed] = change?.events ?? [];
    expect(JSON.parse(changed?.body ?? '').data).toEqual({
      orderId: order.id,
      previousStatus: 'pending',
      status: 'fulfilling',
      reason: 'Paid in cash.',
    });
    expect(changed?.message).not.toContain('Paid');
    expect(completed?.body).not.toContain('Paid');
  });

  test('a reason for the current status changes nothing', () => {
    expect(
      changeStatus({ ...request, to: 'pending', reason: 'Again.' }, found, aContext()),
    ).toBeNull();
  });

  test('the notification names the order and its new status', () => {
    const change = changeStatus(request, found, aContext());
    expect(change?.events[0]?.message).toContain(order.id);
    expect(change?.events[0]?.message).toContain('fulfilling');
  });

  test('a cancelled order releases its units', () => {
    const change = changeStatus({ ...request, to: 'cancelled' }, found, aContext());
    expect(change?.listing.availableQuantity).toBe(100);
  });

  test('an order without a task completes none', () => {
    const change = changeStatus(request, { ...found, task: null }, aContext());
    expect(change?.task).toBeNull();
    expect(change?.events.map(({ eventType }) => eventType)).toEqual(['order.status_changed']);
  });

  test.each(orderStatuses)('the current status, %s, is accepted and changes nothing', (status) => {
    const same = { ...found, order: { ...order, status } };
    expect(changeStatus({ ...request, to: status }, same, aContext())).toBeNull();
  });

  test('a stranger of any kind gets the same error as for a missing order', () => {
    const missing = catchDomainError(() => changeStatus(request, null, aContext()));
    for (const kind of ['buyer', 'seller', 'agent'] as const) {
      const caller = aCaller({ kind });
      const domainError = catchDomainError(() =>
        changeStatus({ ...request, caller }, found, aContext()),
      );
      expect({ ...domainError }).toEqual({ ...missing });
      expect(domainError.code).toBe('order_not_found');
    }
  });

  test('the buyer is rejected before any other check', () => {
    for (const ifMatch of [undefined, '"99"']) {
      for (const to of orderStatuses) {
        const wish = { ...request, caller: buyer, to, ifMatch };
        expect(catchDomainError(() => changeStatus(wish, found, aContext())).code).toBe(
          'account_kind_not_allowed',
        );
      }
    }
  });

  test('an If-Match of another version is rejected with the current tag, even for an invalid transition', () => {
    const wish = { ...request, to: 'completed', ifMatch: '"7"' } as const;
    const domainError = catchDomainError(() => changeStatus(wish, found, aContext()));
    expect(domainError.code).toBe('precondition_failed');
    expect(domainError.detail).toContain('"1"');
    expect(domainError.detail).toContain('"7"');
  });

  test('an invalid transition is rejected with the allowed ones', () => {
    const domainError = catchDomainError(() =>
      changeStatus({ ...request, to: 'completed' }, found, aContext()),
    );
    expect(domainError.code).toBe('invalid_transition');
    expect(domainError.detail).toContain('confirmed, fulfilling or cancelled');
    const final = { ...found, order: { ...order, status: 'cancelled' } as const };
    expect(catchDomainError(() => changeStatus(request, final, aContext())).detail).toContain(
      'cancelled is final',
    );
  });
});
