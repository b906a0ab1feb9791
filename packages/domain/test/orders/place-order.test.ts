import { describe, expect, test } from 'vitest';
import { placeOrder } from '../../src/orders/order';
import { aCaller, aContext, aListing, noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const buyer = aCaller();

describe('on a new order,', () => {
  test('the order takes seller, agent and units from the listing, and is pending', () => {
    const listing = aListing({ availableQuantity: 100 });
    const wish = { listingId: listing.id, quantity: 25 };
    const { order, listing: left } = placeOrder(buyer, wish, listing, aContext());
    expect(order).toEqual({
      id: expect.stringMatching(/^ord_/),
      status: 'pending',
      buyerId: buyer.accountId,
      sellerId: listing.sellerId,
      agentId: listing.agentId,
      listingId: listing.id,
      quantity: 25,
      version: 1,
      createdAt: noon,
      updatedAt: noon,
    });
    expect(left).toEqual({ ...listing, availableQuantity: 75 });
  });

  test('a task is opened for the agent', () => {
    const listing = aListing();
    const wish = { listingId: listing.id, quantity: 1 };
    const { order, task } = placeOrder(buyer, wish, listing, aContext());
    expect(task).toEqual({
      id: expect.stringMatching(/^tsk_/),
      orderId: order.id,
      agentId: listing.agentId,
      createdAt: noon,
      completedAt: null,
    });
  });

  test('no task is opened and no approval requested if there is no agent', () => {
    const listing = aListing({ agentId: null });
    const wish = { listingId: listing.id, quantity: 1 };
    const { task, events } = placeOrder(buyer, wish, listing, aContext());
    expect(task).toBeNull();
    expect(events.map(({ eventType }) => eventType)).toEqual(['order.created']);
  });

  test('the events have their order', () => {
    const listing = aListing({ availableQuantity: 10, lowThreshold: 10 });
    const wish = { listingId: listing.id, quantity: 1 };
    const { events } = placeOrder(buyer, wish, listing, aContext());
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'order.created',
      'task.approval_requested',
      'listing.availability_low',
    ]);
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });

  test('a listing that runs low is reported to its seller and agent, not to the buyer', () => {
    for (const agentId of ['usr_agent', null]) {
      const listing = aListing({ agentId, availableQuantity: 10, lowThreshold: 10 });
      const wish = { listingId: listing.id, quantity: 4 };
      const { order, events } = placeOrder(buyer, wish, listing, aContext());
      const low = events.at(-1);
      expect(low?.recipients).toEqual([listing.sellerId, agentId].filter((id) => id !== null));
      expect(low?.orderId).toBe(order.id);
      expect(JSON.parse(low?.body ?? '').data).toEqual({
        listingId: listing.id,
        sellerId: listing.sellerId,
        availableQuantity: 6,
        threshold: 10,
      });
    }
  });

  test('an account that is both seller and agent of a listing is notified once', () => {
    const listing = aListing({ sellerId: 'usr_both', agentId: 'usr_both', lowThreshold: 2_000 });
    const wish = { listingId: listing.id, quantity: 1 };
    const { events } = placeOrder(buyer, wish, listing, aContext());
    for (const { recipients } of events) {
      expect(recipients).toEqual([...new Set(recipients)]);
      expect(recipients).toContain('usr_both');
    }
  });

  test('a missing listing is rejected, naming the field', () => {
    const wish = { listingId: 'lst_unknown', quantity: 1 };
    const domainError = catchDomainError(() => placeOrder(buyer, wish, null, aContext()));
    expect(domainError).toMatchObject({
      code: 'listing_not_found',
      issues: [{ path: 'listingId' }],
    });
    expect(domainError.detail).toContain('lst_unknown');
  });

  test('a quantity above the available units is rejected with both numbers; exactly the available units are accepted', () => {
    const listing = aListing({ availableQuantity: 24 });
    const place = (quantity: number) =>
      placeOrder(buyer, { listingId: listing.id, quantity }, listing, aContext());
    const domainError = catchDomainError(() => place(25));
    expect(domainError.code).toBe('insufficient_quantity');
    expect(domainError.detail).toContain('24');
    expect(domainError.detail).toContain('25');
    expect(place(24).listing.availableQuantity).toBe(0);
  });
});
