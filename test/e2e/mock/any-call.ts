import {
  type EventType,
  type OrderExpansion,
  type OrderSort,
  type OrderStatus,
  orderStatuses,
} from '@tradepost/sdk';
import fc from 'fast-check';
import type { Call, References } from './compare-services';

/** Creates calls from arguments, which a failure prints. */
function callWith<Arguments>(
  name: string,
  args: fc.Arbitrary<Arguments>,
  create: (args: Arguments) => Call,
): fc.Arbitrary<Call> {
  return args.map((given) => {
    const print = () => `${name} ${fc.stringify(given)}`;
    return Object.assign(create(given), { toString: print, [fc.toStringMethod]: print });
  });
}

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

/** Which of the things that a service has shown. */
const index = fc.nat({ max: 12 });
const idempotencyKey = maybe(fc.constantFrom('k-1', 'k-2'));
const status = fc.constantFrom(...orderStatuses, 'lost' as OrderStatus);
const reason = fc.constantFrom('The buyer has paid.', '已付款 🍵', '', ' x', 'x'.repeat(501));
const sorts: OrderSort[] = ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'];
const expand = fc.array(
  fc.constantFrom<OrderExpansion[]>('buyer', 'seller', 'agent', 'listing', 'x' as 'agent'),
  { maxLength: 4 },
);
const ifMatch = fc.constantFrom('none', 'latest', '"1"', '"2", "3"', '*', 'W/"2"');
const eventTypes: EventType[] = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];
const eventType = fc.constantFrom(...eventTypes);
const events = fc.array(eventType, { maxLength: 3 });
const url = fc.constantFrom('https://a.example/a', 'https://a.example/b?c=ü', 'http://x');
/** Milliseconds before the time of the call. */
const ago = maybe(fc.nat({ max: 500 }));

/** The cursor may be that of another list. */
const paging = { limit: fc.constantFrom(1, 2, 50, 101), continues: fc.boolean() };

function buildPage(
  { limit, continues }: { limit: number; continues: boolean },
  { cursor }: References,
) {
  return { limit, ...(continues && cursor !== undefined && { cursor }) };
}

/** Any call that changes or shows orders or notifications. */
const tradeCalls = [
  callWith(
    'orders.create',
    fc.record({ listing: index, quantity: fc.integer({ min: 0, max: 120 }), idempotencyKey }),
    ({ listing, quantity, idempotencyKey }) =>
      ({ orders }, { id }) =>
        orders.create({ listingId: id('lst', listing), quantity }, { idempotencyKey }),
  ),
  callWith(
    'orders.update',
    fc.record({ order: index, status, ifMatch, reason: maybe(reason) }),
    ({ order, status, ifMatch, reason }) =>
      ({ orders }, { id, etag }) => {
        const options = { ifMatch: ifMatch === 'latest' ? etag : ifMatch };
        const params = { status, ...(reason !== undefined && { reason }) };
        return orders.update(id('ord', order), params, ifMatch === 'none' ? {} : options);
      },
  ),
  callWith(
    'orders.get',
    fc.record({ order: index, expand: maybe(expand) }),
    ({ order, expand }) =>
      ({ orders }, { id }) =>
        orders.get(id('ord', order), expand ? { expand } : {}),
  ),
  callWith(
    'orders.list',
    fc.record({
      ...paging,
      status: maybe(fc.oneof(status, fc.array(status, { maxLength: 3 }))),
      buyer: maybe(index),
      listing: maybe(index),
      sort: maybe(fc.constantFrom(...sorts)),
      expand: maybe(expand),
      after: ago,
      before: ago,
      changedAfter: ago,
    }),
    ({ status, buyer, listing, sort, expand, after, before, changedAfter, ...paging }) =>
      ({ orders }, references) =>
        orders.list({
          ...buildPage(paging, references),
          ...(status && { status }),
          ...(buyer !== undefined && { buyerId: references.id('usr', buyer) }),
          ...(listing !== undefined && { listingId: references.id('lst', listing) }),
          ...(sort && { sort }),
          ...(expand && { expand }),
          ...(changedAfter !== undefined && {
            updatedAfter: new Date(references.now - changedAfter),
          }),
          ...(after !== undefined && { createdAfter: new Date(references.now - after) }),
          ...(before !== undefined && { createdBefore: new Date(references.now - before) }),
        }),
  ),
  callWith(
    'notifications.list',
    fc.record({ ...paging, read: maybe(fc.boolean()) }),
    ({ read, ...paging }) =>
      ({ notifications }, references) =>
        notifications.list({
          ...buildPage(paging, references),
          ...(read !== undefined && { read }),
        }),
  ),
  callWith(
    'notifications.markRead',
    index,
    (notification) =>
      ({ notifications }, { id }) =>
        notifications.markRead(id('ntf', notification)),
  ),
];

/** Any call about webhooks, deliveries or events. */
const webhookCalls = [
  callWith(
    'webhooks.create',
    fc.record({ url, events, idempotencyKey }),
    ({ url, events, idempotencyKey }) =>
      ({ webhooks }) =>
        webhooks.create({ url, events }, { idempotencyKey }),
  ),
  callWith(
    'webhooks.list',
    fc.record(paging),
    (paging) =>
      ({ webhooks }, references) =>
        webhooks.list(buildPage(paging, references)),
  ),
  callWith(
    'webhooks.update',
    fc.record({
      webhook: index,
      changes: fc.record(
        { url, events, status: fc.constantFrom('active' as const, 'paused' as const) },
        { requiredKeys: [] },
      ),
    }),
    ({ webhook, changes }) =>
      ({ webhooks }, { id }) =>
        webhooks.update(id('whk', webhook), changes),
  ),
  ...(['get', 'delete', 'stageSecret', 'promoteSecret'] as const).map((name) =>
    callWith(
      `webhooks.${name}`,
      index,
      (webhook) =>
        ({ webhooks }, { id }) =>
          webhooks[name](id('whk', webhook)),
    ),
  ),
  callWith(
    'webhooks.test',
    fc.record({ webhook: index, event: eventType, idempotencyKey }),
    ({ webhook, event, idempotencyKey }) =>
      ({ webhooks }, { id }) =>
        webhooks.test(id('whk', webhook), { event }, { idempotencyKey }),
  ),
  callWith(
    'deliveries.list',
    fc.record({ ...paging, webhook: maybe(index), event: maybe(eventType), since: ago }),
    ({ webhook, event, since, ...paging }) =>
      ({ deliveries }, references) =>
        deliveries.list({
          ...buildPage(paging, references),
          ...(webhook !== undefined && { webhookId: references.id('whk', webhook) }),
          ...(event && { event }),
          ...(since !== undefined && { since: new Date(references.now - since) }),
        }),
  ),
  ...(['get', 'replay'] as const).map((name) =>
    callWith(
      `deliveries.${name}`,
      index,
      (delivery) =>
        ({ deliveries }, { id }) =>
          deliveries[name](id('dlv', delivery)),
    ),
  ),
  callWith(
    'events.list',
    fc.record({ ...paging, since: ago, order: maybe(index) }),
    ({ limit, continues, since, order }) =>
      ({ events }, { cursor, now, id }) => {
        const ofOrder = order === undefined ? {} : { orderId: id('ord', order) };
        if (continues && cursor !== undefined) {
          return events.list({ limit, after: cursor, ...ofOrder });
        }
        if (order !== undefined) return events.list({ limit, ...ofOrder });
        return events.list({ limit, ...(since !== undefined && { since: new Date(now - since) }) });
      },
  ),
];

/** Any call of a client, valid or not. Half of them trade, because webhooks without events show little. */
export const anyCall: fc.Arbitrary<Call> = fc.oneof(
  fc.oneof(...tradeCalls),
  fc.oneof(...webhookCalls),
);
