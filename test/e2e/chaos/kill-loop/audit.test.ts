import { eventTypes } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { audit } from './audit';
import {
  type Arrival,
  createOperationLog,
  type OperationLog,
  type PlacedOrder,
} from './operation-log';
import type {
  RecordedDelivery,
  RecordedEvent,
  RecordedOrder,
  RecordedState,
} from './recorded-state';
import type { SeedData } from './seed-data';

const parties = { buyerId: 'usr_buyer', sellerId: 'usr_seller', agentId: 'usr_agent' };
const fields = { id: 'ord_1', ...parties, listingId: 'lst_1', quantity: 10 };

/** The result of a loop. Each test changes it. */
interface Loop {
  seedData: SeedData;
  log: OperationLog;
  state: RecordedState;
  /** The only order, as its clients know it. */
  placed: PlacedOrder;
  /** The same order in the database. */
  recorded: RecordedOrder;
  /** In the order of creation: order created, approval requested, order confirmed, task completed. */
  events: [RecordedEvent, RecordedEvent, RecordedEvent, RecordedEvent];
  /** The arrival and the delivery of the first event. */
  arrival: Arrival;
  delivery: RecordedDelivery;
}

function anEvent(number: number, type: RecordedEvent['type'], data: object): RecordedEvent {
  const body = JSON.stringify({ event: type, data: { orderId: 'ord_1', ...data } });
  return { id: `evt_${number}`, type, orderId: 'ord_1', body };
}

/** A loop without violations: one confirmed order, one webhook, one kill. */
function aLoop(): Loop {
  const trader = (id: string) => ({ id, apiKey: '' });
  const listing = { id: 'lst_1', sellerId: 'usr_seller', agentId: 'usr_agent', available: 100 };
  const market = {
    buyers: [trader('usr_buyer'), trader('usr_other')] as SeedData['markets'][number]['buyers'],
    ...{ seller: trader('usr_seller'), agent: trader('usr_agent'), scarce: [] },
    plentiful: listing,
  };
  const recorded: RecordedOrder = { ...fields, status: 'confirmed' };
  const events: Loop['events'] = [
    anEvent(1, 'order.created', { status: 'pending' }),
    anEvent(2, 'task.approval_requested', {}),
    anEvent(3, 'order.status_changed', { previousStatus: 'pending', status: 'confirmed' }),
    anEvent(4, 'task.completed', {}),
  ];
  const deliveries = events.map(({ id: eventId }): RecordedDelivery => {
    return { eventId, webhookId: 'whk_1', state: 'delivered', attempts: 1 };
  });
  const state: RecordedState = {
    ...{ orders: [recorded], events: [...events], deliveries },
    notifications: events.flatMap(({ id: eventId }) =>
      Object.values(parties).map((accountId) => ({ eventId, accountId })),
    ),
    listings: [{ id: 'lst_1', available: 90 }],
    faults: [],
  };
  const placed: PlacedOrder = {
    ...{ ...fields, key: 'key-1', sentAt: 10 },
    ...{ requested: new Map([['confirmed', 20]]), accepted: ['confirmed'] },
  };
  const arrivals = events.map(({ id: eventId, body }): Arrival => {
    return { webhookId: 'whk_1', eventId, body, run: 2, cut: false, acknowledgedAt: 30 };
  });
  const subscription = { webhookId: 'whk_1', accountId: 'usr_seller', types: [...eventTypes] };
  const killedAt = new Map([[1, 29]]);
  const log: OperationLog = {
    ...createOperationLog({ killedAt, disturbedRuns: new Set([8]), crashedRuns: new Set([3]) }),
    ...{ placed: [placed], arrivals, subscriptions: [{ ...subscription, since: 5 }] },
  };
  const [arrival] = arrivals;
  const [delivery] = deliveries;
  if (!(arrival && delivery)) throw new Error('The loop has no events.');
  log.eventLogs.push({
    accountId: 'usr_buyer',
    events: events.map(({ id, body }) => ({ id, ...JSON.parse(body) })),
  });
  const seedData = { markets: [market], seededOrders: new Set<string>() };
  return { seedData, log, state, placed, recorded, events, arrival, delivery };
}

function auditChanged(change: (loop: Loop) => void): string[] {
  const loop = aLoop();
  change(loop);
  return audit(loop.seedData, loop.log, loop.state);
}

describe('the audit of a kill loop', () => {
  it('finds no violation in a consistent loop', () => {
    expect(auditChanged(() => {})).toEqual([]);
  });

  it('accepts that a delivery in flight at a crash of the database arrives once more, but not twice', () => {
    const arrivesInRun3 = (times: number) =>
      auditChanged(({ log, arrival, delivery }) => {
        Object.assign(log, { killedAt: new Map([[3, 31]]) });
        Object.assign(arrival, { run: 3 });
        Object.assign(delivery, { attempts: times - 1 });
        log.arrivals.unshift(...Array.from({ length: times - 1 }, () => ({ ...arrival })));
      });
    expect(arrivesInRun3(2)).toEqual([]);
    expect(arrivesInRun3(3)).toEqual([
      expect.stringContaining('arrived again without a kill in between'),
    ]);
  });

  it('accepts that a delivery in flight at a kill arrives again', () => {
    const repeated = auditChanged(({ log, arrival }) => {
      log.arrivals.unshift({ ...arrival, run: 1, acknowledgedAt: 28 });
    });
    expect(repeated).toEqual([]);
  });

  it('accepts that a delivery arrives again in a run in which workers seemed to be dead', () => {
    const repeated = auditChanged(({ log, arrival }) => {
      const again = { ...arrival, run: 8 };
      log.arrivals.push(again, { ...again });
    });
    expect(repeated).toEqual([]);
  });

  it('judges no delivery in flight before all are made', () => {
    const inFlight = (loop: Loop) => {
      loop.delivery.state = 'pending';
      loop.log.arrivals.shift();
    };
    const loop = aLoop();
    inFlight(loop);
    expect(audit(loop.seedData, loop.log, loop.state, false)).toEqual([]);
    expect(auditChanged(inFlight)).toHaveLength(2);
  });

  it('requires no delivery of what happened before a webhook was registered', () => {
    const late = auditChanged(({ log, state }) => {
      for (const subscription of log.subscriptions) subscription.since = 15;
      state.deliveries.shift();
      log.arrivals.shift();
    });
    expect(late).toEqual([]);
  });

  it.each<[string, string, (loop: Loop) => void]>([
    [
      'an order that is missing',
      'Order ord_1 was acknowledged with 201 but is not in the database.',
      ({ state }) => state.orders.splice(0),
    ],
    [
      'an order that two keys returned',
      'Keys key-1 and key-2 both returned order ord_1.',
      ({ log, placed }) => log.placed.push({ ...placed, key: 'key-2' }),
    ],
    [
      'a second order of one key',
      'Order ord_2 is in the database but was returned for no key: one key created two orders.',
      ({ state, recorded }) => state.orders.push({ ...recorded, id: 'ord_2', status: 'cancelled' }),
    ],
    [
      'an order with another quantity than requested',
      'Order ord_1 was created with quantity 10 but has 11.',
      ({ recorded }) => Object.assign(recorded, { quantity: 11 }),
    ],
    [
      'a status that the events do not lead to',
      'Order ord_1 is fulfilling; its events end with confirmed.',
      ({ recorded }) => Object.assign(recorded, { status: 'fulfilling' }),
    ],
    [
      'a change that was acknowledged and lost',
      'Order ord_1 was acknowledged as cancelled, but has no such event.',
      ({ placed }) => placed.accepted.push('cancelled'),
    ],
    [
      'a change that was never requested',
      'Order ord_1 became confirmed, which was never requested.',
      ({ placed }) => placed.requested.clear(),
    ],
    [
      'a transition that is not allowed',
      'Order ord_1 changed from pending to completed, which is not allowed.',
      ({ events: [, , change] }) => {
        change.body = change.body.replace('"status":"confirmed"', '"status":"completed"');
      },
    ],
    [
      'a change that was made twice',
      'Order ord_1 has an event from pending to confirmed that does not fit its history.',
      ({ state, events: [, , change] }) => state.events.push({ ...change, id: 'evt_5' }),
    ],
    [
      'units that are lost',
      'Listing lst_1 has 89 units left; its orders took 10 of 100.',
      ({ state }) => Object.assign(state, { listings: [{ id: 'lst_1', available: 89 }] }),
    ],
    [
      'a notification that is missing',
      'There are no notifications of evt_1 to usr_buyer.',
      ({ state }) => state.notifications.shift(),
    ],
    [
      'a notification of another account',
      'There are notifications of evt_1 to usr_other, which is not a recipient.',
      ({ state }) => state.notifications.push({ eventId: 'evt_1', accountId: 'usr_other' }),
    ],
    [
      'a delivery that was never queued',
      'There are no deliveries of evt_1 to whk_1.',
      ({ state }) => state.deliveries.shift(),
    ],
    [
      'a delivery that never arrived',
      'LOST: order.created of ord_1, acknowledged as pending, never arrived at whk_1.',
      ({ log }) => log.arrivals.shift(),
    ],
    [
      'a delivery that arrived but was never acknowledged',
      'LOST: evt_1 to whk_1 is delivered and was never acknowledged.',
      ({ arrival }) => Object.assign(arrival, { acknowledgedAt: null }),
    ],
    [
      'an acknowledged delivery that is recorded as failed',
      'evt_1 to whk_1 was acknowledged but is failed.',
      ({ delivery }) => Object.assign(delivery, { state: 'failed' }),
    ],
    [
      'a delivery of an event that was never committed',
      'evt_9 to whk_1 arrived but was never committed.',
      ({ log, arrival }) => log.arrivals.push({ ...arrival, eventId: 'evt_9' }),
    ],
    [
      'a delivery with a different body',
      'evt_1 to whk_1 arrived with a different body: {"event":"order.created","data":{}}',
      ({ log, arrival }) => {
        log.arrivals.unshift({ ...arrival, run: 1, body: '{"event":"order.created","data":{}}' });
      },
    ],
    [
      'a delivery that arrived again without a kill',
      'evt_1 to whk_1 was acknowledged but arrived again without a kill in between: 2 (acknowledged), 2 (acknowledged).',
      ({ log, arrival }) => log.arrivals.push({ ...arrival }),
    ],
    [
      'a delivery that arrived more often than attempts and kills explain',
      'evt_1 to whk_1 arrived in the runs 1 (not acknowledged), 1 (not acknowledged), 2 (acknowledged); 1 attempts were recorded and 1 of these runs were killed.',
      ({ log, arrival }) => {
        const before = { ...arrival, run: 1, acknowledgedAt: null };
        log.arrivals.unshift(before, { ...before });
      },
    ],
    [
      'a delivery that was acknowledged long before a kill but arrived again',
      'evt_1 to whk_1 was acknowledged 4972 ms before the kill but arrived again.',
      ({ log, arrival }) => {
        Object.assign(log, { killedAt: new Map([[1, 5_000]]) });
        log.arrivals.unshift({ ...arrival, run: 1, acknowledgedAt: 28 });
      },
    ],
    [
      'an event that a polling reader missed',
      'LOST: a poll of the event log of usr_buyer missed evt_3.',
      ({ log }) => log.eventLogs[0]?.events.splice(2, 1),
    ],
    [
      'an event that a polling reader got twice',
      'The event log of usr_buyer has evt_1 twice.',
      ({ log: { eventLogs } }) => eventLogs[0]?.events.push(...eventLogs[0].events.slice(0, 1)),
    ],
    [
      'an event that a polling reader got before an earlier one',
      'The event log of usr_buyer has evt_3 (order.status_changed) of ord_1 after the status undefined.',
      ({ log }) => log.eventLogs[0]?.events.reverse(),
    ],
    [
      'an event of a log that was never committed',
      'The event log of usr_buyer has evt_4, which was never committed.',
      ({ state }) => state.events.pop(),
    ],
    [
      'a damaged database',
      'PRAGMA integrity_check says: *** in database main ***',
      ({ state }) => state.faults.push('PRAGMA integrity_check says: *** in database main ***'),
    ],
    [
      'what was recorded as a violation during the loop',
      'A client got: no.',
      ({ log }) => log.violations.push('A client got: no.'),
    ],
  ])('finds %s', (_what, violation, change) => {
    expect(auditChanged(change)).toContain(violation);
  });
});
