import { type EventType, statusClasses } from '@tradepost/contract';
import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryFilter, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { aResult, failedResult, leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { expectPages } from './pages';
import type { StoreUnderTest } from './store-under-test';

const kinds: EventType[] = ['order.created', 'task.approval_requested', 'order.status_changed'];
const states: DeliveryState[] = ['pending', 'delivered', 'failed'];
/** How attempts end, in turn: with a status of each class, with a truncated response, or without one. */
const ends = [
  { status: 200, error: null },
  { status: 500, error: null },
  { status: null, error: 'timeout' },
  { status: 404, error: null },
  { status: 302, error: null },
  { status: 299, error: 'connection_reset' },
  { status: 599, error: 'timeout' },
] as const;

function getStatusClass({ lastStatus, lastError }: LoggedDelivery): string | undefined {
  if (lastStatus !== null) return `${Math.floor(lastStatus / 100)}xx`;
  return lastError === null ? undefined : 'none';
}

/** Returns whether a filter matches a delivery, by its visible fields. */
function isLetThrough(one: LoggedDelivery, filter: DeliveryFilter): boolean {
  return (
    one.webhookId === (filter.webhookId ?? one.webhookId) &&
    one.eventId === (filter.eventId ?? one.eventId) &&
    one.orderId === (filter.orderId ?? one.orderId) &&
    one.eventType === (filter.eventType ?? one.eventType) &&
    one.state === (filter.state ?? one.state) &&
    one.createdAt >= (filter.since ?? 0) &&
    one.createdAt < (filter.until ?? Number.POSITIVE_INFINITY) &&
    (filter.statusClass === undefined || getStatusClass(one) === filter.statusClass)
  );
}

/** Lists of deliveries: filters, order and pages. */
export function describeDeliveryLists(underTest: StoreUnderTest): void {
  describe('in lists of deliveries', () => {
    let trade: Trade;
    let webhookIds: string[];

    const list = (
      filter: DeliveryFilter,
      after: PageKey | null = null,
      limit = 1_000,
    ): Promise<LoggedDelivery[]> =>
      trade.store.deliveryLog.listDeliveries(trade.buyer.accountId, filter, { after, limit });

    /** Makes the due attempts, with every kind of result. */
    async function attempt(now: number): Promise<void> {
      const leased = await leaseDue(trade.store, now);
      const outcomes = leased.map((delivery, index) => {
        const own = { attempt: anAttempt({ startedAt: now, ...ends[index % ends.length] }) };
        if (own.attempt.status === 200) return aResult(delivery, own);
        if (index % 2 === 0) return aResult(delivery, { ...own, state: 'failed' });
        return { ...failedResult(delivery, now + 3_600_000), ...own };
      });
      await trade.store.deliveries.recordAttempts(outcomes, now + 20);
    }

    beforeEach(async () => {
      trade = await Trade.open(underTest.current);
      const { buyer, seller } = trade;
      webhookIds = [];
      for (const events of [kinds, kinds.slice(0, 2), kinds.slice(1)]) {
        webhookIds.push((await trade.subscribe(buyer, events)).id);
      }
      await trade.subscribe(seller, kinds);
      for (let count = 0; count < 8; count += 1) {
        // Two at each time, so that the IDs determine the order too.
        const now = noon + Math.floor(count / 2) * 1_000;
        const order = await trade.place({ now, quantity: 1 });
        if (count % 3 === 0) await trade.move(order, 'confirmed', now);
        if (count < 6) await attempt(now);
      }
    });

    test('the test data has a match for every filter', async () => {
      const all = await list({});
      expect(new Set(all.map(({ state }) => state)).size).toBe(states.length);
      expect(new Set(all.map(({ eventType }) => eventType)).size).toBe(kinds.length);
      expect(new Set(all.map(getStatusClass))).toEqual(new Set([...statusClasses, undefined]));
    });

    test('any filter finds its matches, newest first, after any cursor', async () => {
      const items = await list({});
      const { store, seller } = trade;
      const page = { after: null, limit: 1_000 };
      // The account of another webhook, which sees some of the same events.
      const theirs = await store.deliveryLog.listDeliveries(seller.accountId, {}, page);
      const ids = (name: 'eventId' | 'orderId') => [
        ...new Set([...items, ...theirs].flatMap((one) => one[name] ?? [])),
      ];
      await expectPages({
        items,
        filters: fc.record<DeliveryFilter, never>(
          {
            eventId: fc.constantFrom(...ids('eventId'), 'evt_none'),
            orderId: fc.constantFrom(...ids('orderId'), 'ord_none'),
            webhookId: fc.constantFrom(...webhookIds, 'whk_none'),
            eventType: fc.constantFrom(...kinds),
            state: fc.constantFrom(...states),
            since: fc.integer({ min: noon - 1, max: noon + 4_000 }),
            until: fc.integer({ min: noon - 1, max: noon + 4_000 }),
            statusClass: fc.constantFrom(...statusClasses),
          },
          { requiredKeys: [] },
        ),
        matches: isLetThrough,
        read: (filter, { after, limit }) => list(filter, after, limit),
      });
    });

    test('deliveries queued between two pages shift no page', async () => {
      const all = await list({});
      const first = await list({}, null, 5);
      await trade.place({ now: noon + 60_000 });
      const second = await list({}, first.at(-1), 5);
      expect([...first, ...second]).toEqual(all.slice(0, 10));
    });
  });
}
