import { orderStatuses } from '@tradepost/contract';
import { type LogQuery, readLogPage } from '@tradepost/domain/events/event-log';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { aContext, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Trade } from '../../helpers/trade';
import { insertOrder } from './order-lists';
import type { StoreUnderTest } from './store-under-test';

/** Few different times, so that many items share one. */
const times = [noon, noon + 1, noon + 2, noon + 4];
const time = fc.integer({ min: noon - 1, max: noon + 5 });
const limit = fc.integer({ min: 1, max: 12 });
const runs = { numRuns: 150 };

function newestFirst(one: PageKey, other: PageKey): number {
  const byId = Number(other.id > one.id) - Number(other.id < one.id);
  return other.createdAt - one.createdAt || byId;
}

/** Any cursor: of an item, between items, or none. */
function anyCursor(items: readonly PageKey[]): fc.Arbitrary<PageKey | null> {
  const ids = fc.constantFrom('', '~', ...items.map(({ id }) => id));
  const item = fc.constantFrom(...items.map(({ createdAt, id }) => ({ createdAt, id })));
  return fc.oneof(fc.constant(null), item, fc.record({ createdAt: time, id: ids }));
}

/** A list, and how its filter works. */
interface List<Item extends PageKey, Filter> {
  /** All items. */
  items: Item[];
  filters: fc.Arbitrary<Filter>;
  matches: (item: Item, filter: Filter) => boolean;
  read: (filter: Filter, page: { after: PageKey | null; limit: number }) => Promise<Item[]>;
}

/** Compares each page, with any filter and after any cursor, with a filter in memory. */
export async function expectPages<Item extends PageKey, Filter>({
  items,
  filters,
  matches,
  read,
}: List<Item, Filter>): Promise<void> {
  const property = fc.asyncProperty(
    filters,
    anyCursor(items),
    limit,
    async (filter, after, size) => {
      const expected = items
        .filter((item) => matches(item, filter))
        .filter((item) => after === null || newestFirst(after, item) < 0)
        .sort(newestFirst);
      expect(await read(filter, { after, limit: size })).toEqual(expected.slice(0, size));
    },
  );
  await fc.assert(property, runs);
}

/** Pages of lists, with every combination of filters and cursor; those of deliveries are in `delivery-lists.ts`. */
export function describePages(underTest: StoreUnderTest): void {
  describe('with any filter and any cursor, a filter in memory returns the same as', () => {
    test('a page of orders', async () => {
      const trade = await Trade.open(underTest.current);
      const items = [];
      for (const [index, createdAt] of [...times, ...times, ...times].entries()) {
        const status = orderStatuses[index % 2] ?? 'pending';
        items.push(await insertOrder(trade, createdAt, status));
      }
      await expectPages({
        items,
        filters: fc.record<OrderFilter, never>(
          {
            statuses: fc.uniqueArray(fc.constantFrom(...orderStatuses.slice(0, 3)), {
              minLength: 1,
            }),
            createdAfter: time,
            createdBefore: time,
          },
          { requiredKeys: [] },
        ),
        matches: (order, { statuses, createdAfter, createdBefore }) =>
          (statuses ?? [order.status]).includes(order.status) &&
          order.createdAt > (createdAfter ?? 0) &&
          order.createdAt < (createdBefore ?? Number.POSITIVE_INFINITY),
        read: (filter, page) => trade.store.orders.listOrders(trade.seller, filter, page),
      });
    });

    test('a page of notifications', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      const { notifications } = trade.store;
      for (const now of [...times, ...times]) await trade.place({ now });
      const whole = { after: null, limit: 1_000 };
      const unread = await notifications.listNotifications(accountId, {}, whole);
      for (const { id } of unread.filter((_one, index) => index % 3 === 0)) {
        await notifications.markRead(accountId, id);
      }
      const items = await notifications.listNotifications(accountId, {}, whole);
      expect(items.filter(({ read }) => read).length).toBeGreaterThan(2);
      await expectPages({
        items,
        filters: fc.record<{ read?: boolean }, never>({ read: fc.boolean() }, { requiredKeys: [] }),
        matches: (one, { read }) => (read ?? one.read) === one.read,
        read: (filter, page) => notifications.listNotifications(accountId, filter, page),
      });
    });

    test('a page of webhooks', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      const { webhooks } = trade.store;
      for (const createdAt of [...times, ...times, ...times]) {
        await trade.subscribe(trade.buyer, ['order.created'], {
          id: aContext(createdAt).newId('whk'),
          createdAt,
        });
      }
      await trade.subscribe(trade.seller, ['order.created']);
      const items = await webhooks.listWebhooks(accountId, { after: null, limit: 1_000 });
      expect(items).toHaveLength(12);
      await expectPages({
        items,
        filters: fc.constant({}),
        matches: () => true,
        read: (_filter, page) => webhooks.listWebhooks(accountId, page),
      });
    });

    test('a page of events', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      const { events } = trade.store;
      // As written by processes whose clocks differ: an older event may follow a newer one.
      for (const offset of [0, 2, 1, 4, 0, 1, 5, 2, 2, 5, 0]) {
        await trade.place({ now: noon + offset, quantity: 1 });
      }
      const items = await events.readEvents(accountId, 0, 1_000);
      const place = fc.constantFrom(0, ...items.flatMap(({ seq }) => [seq - 1, seq]));
      const queries = fc.record<LogQuery, 'limit'>(
        { after: place, since: time, limit },
        { requiredKeys: ['limit'] },
      );
      const { signal } = new AbortController();
      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          const { after = 0, since = 0 } = query;
          const expected = items.filter(({ seq, createdAt }) => seq > after && createdAt >= since);
          const found = [];
          for (let from: number | undefined = query.after, more = true; more; ) {
            const page = await readLogPage(events, accountId, { ...query, after: from }, signal);
            expect(page.events.length).toBeLessThanOrEqual(query.limit);
            found.push(...page.events);
            more = page.hasMore;
            from = page.end;
          }
          expect(found).toEqual(expected);
        }),
        runs,
      );
    });
  });
}
