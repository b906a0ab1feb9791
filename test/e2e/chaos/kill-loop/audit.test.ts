import { eventTypes } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { audit } from './audit';
import { type Arrival, type Diary, newDiary, type PlacedOrder } from './operation-log';
import type { BookedDelivery, BookedEvent, BookedOrder, Books } from './recorded-state';
import type { World } from './seed-data';

const parties = { buyerId: 'usr_buyer', sellerId: 'usr_seller', agentId: 'usr_agent' };
const fields = { id: 'ord_1', ...parties, listingId: 'lst_1', quantity: 10 };

/** What a loop left behind, mended or marred by a test. */
interface Loop {
  world: World;
  diary: Diary;
  books: Books;
  /** The one order, as its clients know it. */
  placed: PlacedOrder;
  /** The same, as the database has it. */
  booked: BookedOrder;
  /** In the order of their making: created, approval requested, confirmed, task completed. */
  events: [BookedEvent, BookedEvent, BookedEvent, BookedEvent];
  /** The arrival and the delivery of the first of them. */
  arrival: Arrival;
  delivery: BookedDelivery;
}

function anEvent(number: number, kind: BookedEvent['kind'], data: object): BookedEvent {
  const body = JSON.stringify({ event: kind, data: { orderId: 'ord_1', ...data } });
  return { id: `evt_${number}`, kind, orderId: 'ord_1', body };
}

/** A loop of one order that was confirmed and of one webhook, killed once: nothing is wrong with it. */
function aLoop(): Loop {
  const trader = (id: string) => ({ id, apiKey: '' });
  const listing = { id: 'lst_1', sellerId: 'usr_seller', agentId: 'usr_agent', available: 100 };
  const market = {
    buyers: [trader('usr_buyer'), trader('usr_other')] as World['markets'][number]['buyers'],
    ...{ seller: trader('usr_seller'), agent: trader('usr_agent'), scarce: [] },
    plentiful: listing,
  };
  const booked: BookedOrder = { ...fields, status: 'confirmed' };
  const events: Loop['events'] = [
    anEvent(1, 'order.created', { status: 'pending' }),
    anEvent(2, 'task.approval_requested', {}),
    anEvent(3, 'order.status_changed', { previousStatus: 'pending', status: 'confirmed' }),
    anEvent(4, 'task.completed', {}),
  ];
  const deliveries = events.map(({ id: eventId }): BookedDelivery => {
    return { eventId, webhookId: 'whk_1', state: 'delivered', attempts: 1 };
  });
  const books: Books = {
    ...{ orders: [booked], events: [...events], deliveries },
    notifications: events.flatMap(({ id: eventId }) =>
      Object.values(parties).map((accountId) => ({ eventId, accountId })),
    ),
    listings: [{ id: 'lst_1', available: 90 }],
    ...{ integrity: 'ok', brokenReferences: [] },
  };
  const placed: PlacedOrder = {
    ...{ ...fields, key: 'key-1', sentAt: 10 },
    ...{ asked: new Map([['confirmed', 20]]), answered: ['confirmed'] },
  };
  const arrivals = events.map(({ id: eventId, body }): Arrival => {
    return { webhookId: 'whk_1', eventId, body, run: 2, cut: false, acknowledgedAt: 30 };
  });
  const subscription = { webhookId: 'whk_1', accountId: 'usr_seller', kinds: [...eventTypes] };
  const diary: Diary = {
    ...newDiary(new Map([[1, 29]])),
    ...{ placed: [placed], arrivals, subscriptions: [{ ...subscription, since: 5 }] },
  };
  const [arrival] = arrivals;
  const [delivery] = deliveries;
  if (!(arrival && delivery)) throw new Error('The loop has no events.');
  const world = { markets: [market], firstOrders: new Set<string>() };
  return { world, diary, books, placed, booked, events, arrival, delivery };
}

function faultsOf(change: (loop: Loop) => void): string[] {
  const loop = aLoop();
  change(loop);
  return audit(loop.world, loop.diary, loop.books);
}

describe('the audit of a kill loop', () => {
  it('finds nothing wrong with a loop in which nothing is', () => {
    expect(faultsOf(() => {})).toEqual([]);
  });

  it('lets what was in flight at a kill come once more', () => {
    const repeated = faultsOf(({ diary, arrival }) => {
      diary.arrivals.unshift({ ...arrival, run: 1, acknowledgedAt: 28 });
    });
    expect(repeated).toEqual([]);
  });

  it('asks for nothing that happened before a webhook was registered', () => {
    const late = faultsOf(({ diary, books }) => {
      for (const subscription of diary.subscriptions) subscription.since = 15;
      books.deliveries.shift();
      diary.arrivals.shift();
    });
    expect(late).toEqual([]);
  });

  it.each<[string, string, (loop: Loop) => void]>([
    [
      'an order that is gone',
      'Order ord_1 was answered 201 and is not in the database.',
      ({ books }) => books.orders.splice(0),
    ],
    [
      'an order that two keys answered',
      'Keys key-1 and key-2 both answered order ord_1.',
      ({ diary, placed }) => diary.placed.push({ ...placed, key: 'key-2' }),
    ],
    [
      'an order that one key made beside another',
      'Order ord_2 is in the database and was answered to no key: one key made two.',
      ({ books, booked }) => books.orders.push({ ...booked, id: 'ord_2', status: 'cancelled' }),
    ],
    [
      'an order of other units than were asked for',
      'Order ord_1 was placed with quantity 10 and has 11.',
      ({ booked }) => Object.assign(booked, { quantity: 11 }),
    ],
    [
      'a state that its events do not lead to',
      'Order ord_1 is fulfilling; its events end with confirmed.',
      ({ booked }) => Object.assign(booked, { status: 'fulfilling' }),
    ],
    [
      'a move that was answered and forgotten',
      'Order ord_1 was answered cancelled; no event says so.',
      ({ placed }) => placed.answered.push('cancelled'),
    ],
    [
      'a move that nobody asked for',
      'Order ord_1 became confirmed, which nobody asked for.',
      ({ placed }) => placed.asked.clear(),
    ],
    [
      'a move that an order may not make',
      'Order ord_1 moved from pending to completed, which it may not.',
      ({ events: [, , change] }) => {
        change.body = change.body.replace('"status":"confirmed"', '"status":"completed"');
      },
    ],
    [
      'a move that was made twice',
      'Order ord_1 has an event from pending to confirmed that leads nowhere.',
      ({ books, events: [, , change] }) => books.events.push({ ...change, id: 'evt_5' }),
    ],
    [
      'units that got lost',
      'Listing lst_1 has 89 left; of 100 its orders took 10.',
      ({ books }) => Object.assign(books, { listings: [{ id: 'lst_1', available: 89 }] }),
    ],
    [
      'a notification that is missing',
      'There are no notifications of evt_1 to usr_buyer.',
      ({ books }) => books.notifications.shift(),
    ],
    [
      'a notification of somebody else',
      'There are notifications of evt_1 to usr_other, whom it is not for.',
      ({ books }) => books.notifications.push({ eventId: 'evt_1', accountId: 'usr_other' }),
    ],
    [
      'a delivery that was never queued',
      'There are no deliveries of evt_1 to whk_1.',
      ({ books }) => books.deliveries.shift(),
    ],
    [
      'a delivery that never came',
      'LOST: order.created of ord_1, answered as pending, never came to whk_1.',
      ({ diary }) => diary.arrivals.shift(),
    ],
    [
      'a delivery that came and was never acknowledged',
      'LOST: evt_1 to whk_1 is delivered and was never acknowledged.',
      ({ arrival }) => Object.assign(arrival, { acknowledgedAt: null }),
    ],
    [
      'a delivery that is given up',
      'evt_1 to whk_1 was acknowledged and is failed.',
      ({ delivery }) => Object.assign(delivery, { state: 'failed' }),
    ],
    [
      'a delivery of what was never committed',
      'evt_9 to whk_1 arrived and was never committed.',
      ({ diary, arrival }) => diary.arrivals.push({ ...arrival, eventId: 'evt_9' }),
    ],
    [
      'a delivery with other bytes',
      'evt_1 to whk_1 came with other bytes: {"event":"order.created","data":{}}',
      ({ diary, arrival }) => {
        diary.arrivals.unshift({ ...arrival, run: 1, body: '{"event":"order.created","data":{}}' });
      },
    ],
    [
      'a delivery that came again though nobody was killed',
      'evt_1 to whk_1 was acknowledged and came again with no kill between: 2 (acknowledged), 2 (acknowledged).',
      ({ diary, arrival }) => diary.arrivals.push({ ...arrival }),
    ],
    [
      'a delivery that came oftener than its attempts and kills allow',
      'evt_1 to whk_1 came in the runs 1 (not acknowledged), 1 (not acknowledged), 2 (acknowledged); 1 attempts were recorded and 1 of these runs were killed.',
      ({ diary, arrival }) => {
        const before = { ...arrival, run: 1, acknowledgedAt: null };
        diary.arrivals.unshift(before, { ...before });
      },
    ],
    [
      'a delivery that was acknowledged long before a kill and yet came again',
      'evt_1 to whk_1 was acknowledged 4972 ms before the kill and yet came again.',
      ({ diary, arrival }) => {
        diary.killedAt.set(1, 5_000);
        diary.arrivals.unshift({ ...arrival, run: 1, acknowledgedAt: 28 });
      },
    ],
    [
      'a database that is damaged',
      'PRAGMA integrity_check says: *** in database main ***',
      ({ books }) => Object.assign(books, { integrity: '*** in database main ***' }),
    ],
    [
      'a reference to nothing',
      'PRAGMA foreign_key_check finds [{"table":"events"}].',
      ({ books }) => books.brokenReferences.push({ table: 'events' }),
    ],
    [
      'what was wrong at once',
      'A client was told: no.',
      ({ diary }) => diary.faults.push('A client was told: no.'),
    ],
  ])('finds %s', (_what, fault, change) => {
    expect(faultsOf(change)).toContain(fault);
  });
});
