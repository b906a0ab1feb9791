import type { Caller } from '@tradepost/domain/accounts/account';
import { newDelivery } from '@tradepost/domain/deliveries/delivery';
import { firstSequenceAt } from '@tradepost/domain/events/event';
import {
  type LoggedEvent,
  type LogPage,
  type LogQuery,
  type LogSearchLimits,
  readLogPage,
  readLogTail,
} from '@tradepost/domain/events/event-log';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import type { Order } from '@tradepost/domain/orders/order';
import { aContext, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { enqueueDelivery } from '../../helpers/enqueue';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

function summarize({ body }: LoggedEvent): { event: string; createdAt: string; order: string } {
  const { event, createdAt, data } = JSON.parse(body) as {
    event: string;
    createdAt: string;
    data: Pick<Order, 'id'> & { orderId: string };
  };
  return { event, createdAt, order: data.orderId };
}

/** The event log of each account. */
export function describeEventLog(underTest: StoreUnderTest): void {
  describe('in the event log', () => {
    async function open() {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const read = ({ accountId }: Caller, after = 0, limit = 1_000, orderId?: string) =>
        trade.store.events.readEvents(accountId, after, limit, orderId);
      return { trade, read };
    }

    test('each participant of an order finds its events there, oldest first, and no other account does', async () => {
      const { trade, read } = await open();
      const stranger = await addCaller(underTest.current, 'buyer');
      const order = await trade.place({ quantity: 10 });
      await trade.move(order, 'fulfilling', noon + 1);
      const found = await read(trade.seller);
      expect(found.map((one) => summarize(one).event)).toEqual([
        'order.created',
        'task.approval_requested',
        'listing.availability_low',
        'order.status_changed',
        'task.completed',
      ]);
      expect((await read(trade.agent)).map(({ id }) => id)).toEqual(found.map(({ id }) => id));
      const ofBuyer = await read(trade.buyer);
      expect(ofBuyer.map((one) => summarize(one).event)).not.toContain('listing.availability_low');
      expect(ofBuyer).toHaveLength(4);
      expect(await read(stranger)).toEqual([]);
    });

    test('an event has the account that caused it, and its body does not say it', async () => {
      const { trade, read } = await open();
      const order = await trade.place({ quantity: 10 });
      await trade.move(order, 'fulfilling', noon + 1);
      const found = await read(trade.agent);
      const actors = found.map(({ actorId, actorKind }) => [actorId, actorKind]);
      const [buyer, seller] = [
        [trade.buyer.accountId, 'buyer'],
        [trade.seller.accountId, 'seller'],
      ];
      expect(actors).toEqual([buyer, buyer, buyer, seller, seller]);
      expect(await trade.store.events.findEvent(trade.agent.accountId, found[3]?.id ?? '')).toEqual(
        expect.objectContaining({ actorId: trade.seller.accountId, actorKind: 'seller' }),
      );
      for (const { body } of found) expect(body).not.toContain('actor');
    });

    test('an event is what its deliveries carry', async () => {
      const { trade, read } = await open();
      await trade.subscribe(trade.buyer, ['order.created']);
      await trade.place();
      const request = { now: noon, leaseUntil: noon + 1, leaseToken: 'reader', limit: 10 };
      const [delivery] = await trade.store.deliveries.leaseDue(request);
      const [first] = await read(trade.buyer);
      expect([first?.id, first?.body]).toEqual([delivery?.eventId, delivery?.body]);
    });

    test('the events of one order are those of the log that are about it or that it caused, for each participant', async () => {
      const { trade, read } = await open();
      const stranger = await addCaller(underTest.current, 'seller');
      const first = await trade.place({ quantity: 10 });
      const second = await trade.place({ quantity: 1, now: noon + 1 });
      await trade.move(second, 'cancelled', noon + 2);
      await trade.move(first, 'confirmed', noon + 3);
      await trade.move(first, 'fulfilling', noon + 4);
      const byOrder = (order: Order, caller: Caller) => read(caller, 0, 1_000, order.id);
      const ofFirst = await byOrder(first, trade.seller);
      expect(ofFirst.map((one) => summarize(one).event)).toEqual([
        'order.created',
        'task.approval_requested',
        'listing.availability_low',
        'order.status_changed',
        'task.completed',
        'order.status_changed',
      ]);
      for (const caller of [trade.buyer, trade.seller, trade.agent]) {
        const all = await read(caller);
        const [mine, others] = [await byOrder(first, caller), await byOrder(second, caller)];
        expect([...mine, ...others].toSorted((one, other) => one.seq - other.seq)).toEqual(all);
        expect(others).toHaveLength(4);
      }
      expect((await byOrder(first, trade.buyer)).map(({ id }) => id)).toEqual(
        ofFirst.filter((one) => !one.body.includes('availability_low')).map(({ id }) => id),
      );
      expect(await byOrder(first, stranger)).toEqual([]);
      expect(await read(trade.seller, 0, 1_000, 'ord_unknown')).toEqual([]);
    });

    test('the events of one order are read in pages of any size, also those that no one has read yet', async () => {
      const { trade, read } = await open();
      const order = await trade.place({ quantity: 1 });
      for (const to of ['confirmed', 'fulfilling', 'completed'] as const) {
        await trade.place({ quantity: 1 });
        await trade.move(order, to);
      }
      for (let limit = 1; limit <= 7; limit += 1) {
        const found: LoggedEvent[] = [];
        for (let more = true; more; ) {
          const got = await read(trade.buyer, found.at(-1)?.seq, limit, order.id);
          expect(got.length).toBeLessThanOrEqual(limit);
          found.push(...got);
          more = got.length > 0;
        }
        expect(found).toHaveLength(6);
        const log = await read(trade.buyer);
        expect(found).toEqual(log.filter((one) => summarize(one).order === order.id));
      }
    });

    test('the last events are read backwards, in pages of any size, and are those that are read forwards', async () => {
      const { trade } = await open();
      const { accountId } = trade.buyer;
      const { events } = trade.store;
      const orders: Order[] = [];
      for (let count = 0; count < 6; count += 1) {
        const order = await trade.place({ now: noon + count * 1_000, quantity: 1 });
        orders.push(order);
        if (count % 2 === 1) await trade.move(order, 'confirmed', noon + count * 1_000);
      }
      const { signal } = new AbortController();
      const time = fc.option(fc.integer({ min: -1, max: 6_001 }), { nil: undefined });
      const filters = fc.record({
        since: time.map((at) => at && noon + at),
        until: time.map((at) => at && noon + at),
        eventType: fc.constantFrom(undefined, 'order.created' as const, 'task.completed' as const),
        orderId: fc.constantFrom(undefined, orders[1]?.id, 'ord_unknown'),
      });
      // Without a limit on what is read, and with ones at which pages end without the events that they could have.
      const limits = fc.option(
        fc.record({
          stepSize: fc.integer({ min: 1, max: 4 }),
          maxScan: fc.integer({ min: 1, max: 8 }),
        }),
        { nil: undefined },
      );
      const log = await trade.store.events.readEvents(accountId, 0, 1_000);
      const readForwards = async (query: LogQuery, searchLimits?: LogSearchLimits) => {
        const found: LoggedEvent[] = [];
        for (let { after } = query, more = true; more; ) {
          const from = { ...query, after };
          const page = await readLogPage(events, accountId, from, signal, searchLimits);
          found.push(...page.events);
          more = page.hasMore;
          if (more) expect(page.end).toBeGreaterThan(after ?? 0);
          after = page.end;
        }
        return found;
      };
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.integer({ min: 1, max: 20 }),
          limits,
          async (filter, limit, searchLimits) => {
            const { since = 0, until = Number.POSITIVE_INFINITY, orderId, eventType } = filter;
            const query = { ...filter, limit };
            const all = await readForwards(query, searchLimits);
            expect(all).toEqual(
              log.filter(
                (one) =>
                  (orderId ?? summarize(one).order) === summarize(one).order &&
                  (eventType ?? one.eventType) === one.eventType &&
                  one.createdAt >= since &&
                  one.createdAt < until,
              ),
            );
            const found: LoggedEvent[] = [];
            for (let before: number | null | undefined; before !== null; ) {
              const from = { ...query, before };
              const page = await readLogTail(events, accountId, from, signal, searchLimits);
              found.unshift(...page.events);
              // Each cursor leads to the same events in the other direction.
              const { start, end } = page;
              expect(await readForwards({ ...query, after: start ?? 0 })).toEqual(found);
              const again = await readLogTail(events, accountId, { ...query, before: end }, signal);
              if (page.events.length > 0) {
                expect(again.events.slice(-page.events.length)).toEqual(page.events);
              }
              before = start;
            }
            expect(found).toEqual(all);
          },
        ),
      );
    });

    test('a page of a type that is rare ends after a limit, and the next one continues from there', async () => {
      const { trade, read } = await open();
      const { accountId } = trade.buyer;
      await enqueueDelivery(trade, { accountId, count: 30 });
      const order = await trade.place();
      await trade.move(order, 'confirmed');
      const log = await read(trade.buyer);
      const { signal } = new AbortController();
      const limits = { stepSize: 4, maxScan: 12 };
      const query = { eventType: 'order.status_changed' as const, limit: 3 };
      // At the end, a page until a time ends with its last event.
      for (const [until, last] of [[undefined, 34] as const, [noon + 1_000, 33] as const]) {
        const pages: LogPage[] = [];
        for (let after = 0, more = true; more; ) {
          const from = { ...query, until, after };
          const page = await readLogPage(trade.store.events, accountId, from, signal, limits);
          pages.push(page);
          ({ end: after, hasMore: more } = page);
        }
        expect(pages.map(({ events }) => events.length)).toEqual([0, 0, 1]);
        // A page of three, and three steps.
        expect(pages.map(({ end }) => log.findIndex(({ seq }) => seq === end) + 1)).toEqual([
          15,
          30,
          last,
        ]);
      }
    });

    test('a search in the log ends when its client disconnects', async () => {
      const { trade } = await open();
      const { accountId } = trade.buyer;
      await enqueueDelivery(trade, { accountId, count: 30 });
      const stop = new AbortController();
      const { events } = trade.store;
      let steps = 0;
      const searchEvents: typeof events.searchEvents = (...args) => {
        steps += 1;
        if (steps === 3) stop.abort();
        return events.searchEvents(...args);
      };
      const query = { eventType: 'task.completed' as const, limit: 1 };
      const limits = { stepSize: 1, maxScan: 30 };
      const search = readLogPage(
        { ...events, searchEvents },
        accountId,
        query,
        stop.signal,
        limits,
      );
      await expect(search).rejects.toThrow('aborted');
      expect(steps).toBe(3);
    });

    test('an event is found by its ID in the logs of those who may see it, also before it was read', async () => {
      const { trade, read } = await open();
      const stranger = await addCaller(underTest.current, 'buyer');
      await trade.place({ quantity: 10 });
      const { events } = trade.store;
      const ids = (await read(trade.seller)).map(({ id }) => id);
      for (const id of ids) {
        const { seq: _, ...expected } = (await read(trade.agent)).find((one) => one.id === id) ?? {
          seq: 0,
        };
        expect(await events.findEvent(trade.seller.accountId, id)).toMatchObject(expected);
        expect(await events.findEvent(stranger.accountId, id)).toBeNull();
      }
      const low = ids.at(-1) ?? '';
      expect(await events.findEvent(trade.buyer.accountId, low)).toBeNull();
      expect(await events.findEvent(trade.buyer.accountId, ids[0] ?? '')).not.toBeNull();
      expect(await events.findEvent(trade.buyer.accountId, 'evt_unknown')).toBeNull();
    });

    test('a reader that reads while changes are committed misses none of them', async () => {
      const { trade, read } = await open();
      const seen: LoggedEvent[] = [];
      let writing = true;
      const writers = [1, 2, 3, 4].map(async () => {
        for (let count = 0; count < 10; count += 1) await trade.place({ quantity: 1 });
      });
      const done = Promise.all(writers).then(() => {
        writing = false;
      });
      for (let more = true; more; ) {
        // A read that starts before the last commit may not see it.
        const isLast = !writing;
        const got = await read(trade.buyer, seen.at(-1)?.seq, 3);
        seen.push(...got);
        more = got.length > 0 || !isLast;
        await new Promise((turn) => setImmediate(turn));
      }
      await done;
      expect(seen).toHaveLength(80);
      expect(seen).toEqual(await read(trade.buyer));
    });

    test('everything that happened since a timestamp follows its first sequence number, even if clocks were set', async () => {
      const { trade, read } = await open();
      const { accountId } = trade.buyer;
      let count = 0;
      const leaps = fc.array(fc.integer({ min: -5_000, max: 5_000 }), {
        minLength: 1,
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(leaps, fc.nat(), async (leapList, choice) => {
          const before = (await read(trade.buyer)).at(-1)?.seq ?? 0;
          // Each run has its own time, after all earlier runs.
          count += 1;
          const start = noon + count * 100_000;
          for (const leap of leapList) await trade.place({ now: start + leap, quantity: 1 });
          const log = await read(trade.buyer, before);
          expect(log.map((one) => summarize(one).createdAt)).toEqual(
            leapList.flatMap((leap) => Array(2).fill(new Date(start + leap).toISOString())),
          );
          const since = start + (leapList[choice % leapList.length] ?? 0);
          const query = { since, limit: 1_000 };
          const { signal } = new AbortController();
          const page = await readLogPage(trade.store.events, accountId, query, signal);
          const expected = log.filter((one) => Date.parse(summarize(one).createdAt) >= since);
          expect(page.events).toEqual(expected);
        }),
        { numRuns: 20 },
      );
    });

    test('sequence numbers only increase, and are never below the first one of their timestamp', async () => {
      const { trade } = await open();
      const { accountId } = trade.buyer;
      // More events in one millisecond than it has sequence numbers.
      await enqueueDelivery(trade, { accountId, count: 1_500, now: noon });
      await enqueueDelivery(trade, { accountId, count: 3, now: noon + 1 });
      await enqueueDelivery(trade, { accountId, count: 3, now: noon - 1_000 });
      const log = await trade.store.events.readEvents(accountId, 0, 2_000);
      expect(log).toHaveLength(1_506);
      for (const [index, one] of log.entries()) {
        expect(one.seq).toBeGreaterThan(log[index - 1]?.seq ?? 0);
        const { createdAt } = JSON.parse(one.body) as { createdAt: string };
        expect(one.seq).toBeGreaterThanOrEqual(firstSequenceAt(Date.parse(createdAt)));
      }
    });

    test('a rejected or repeated change is in no event log', async () => {
      const { trade, read } = await open();
      const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
      await trade.place({ idempotencyKey });
      const before = await read(trade.buyer);
      await expect(trade.place({ quantity: 1_000_000 })).rejects.toThrow();
      await trade.place({ idempotencyKey });
      expect(await read(trade.buyer)).toEqual(before);
    });

    test('a test event is in no event log', async () => {
      const { trade, read } = await open();
      const { accountId, id } = await trade.subscribe(trade.buyer, ['order.created']);
      const request = { accountId, webhookId: id, idempotencyKey: null, context: aContext() };
      await trade.store.deliveryLog.enqueueTestDelivery(request, () => {
        const event = createTestEvent('order.created', request.context);
        const delivery = { ...newDelivery(event, id, request.context), test: true };
        return { event, delivery, response: { status: 202, headers: {}, body: null } };
      });
      for (const caller of [trade.buyer, trade.seller, trade.agent]) {
        expect(await read(caller)).toEqual([]);
      }
    });

    test('the log survives a restart, and continues where it was', async () => {
      const { trade, read } = await open();
      await trade.place();
      const before = await read(trade.buyer);
      const reopened = trade.on(await underTest.reopen());
      await reopened.place({ now: noon - 60_000 });
      const { events } = reopened.store;
      const after = await events.readEvents(trade.buyer.accountId, 0, 100);
      expect(after.slice(0, 2)).toEqual(before);
      expect(after).toHaveLength(4);
    });

    test('listeners are notified of the accounts of an event once it can be read, and not of rejected changes', async () => {
      const { trade, read } = await open();
      const heard: { accounts: string[]; events: Promise<LoggedEvent[]> }[] = [];
      trade.store.onEvents((accounts) => heard.push({ accounts, events: read(trade.buyer) }));
      const order = await trade.place();
      await expect(trade.place({ quantity: 1_000_000 })).rejects.toThrow();
      await trade.move(order, 'confirmed');
      await trade.move(order, 'confirmed');
      const parties = [trade.buyer, trade.seller, trade.agent].map(({ accountId }) => accountId);
      expect(heard.map(({ accounts }) => accounts.toSorted())).toEqual([
        parties.toSorted(),
        parties.toSorted(),
      ]);
      const counts = (await Promise.all(heard.map(({ events }) => events))).map(
        (all) => all.length,
      );
      expect(counts).toEqual([2, 4]);
    });
  });
}
