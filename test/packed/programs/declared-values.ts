/**
 * Exports what the SDK returns without naming its types, as programs do that share a client. It is only compiled, with
 * `declaration`: then the compiler names each inferred type, and can import it from an entry of the SDK only.
 */
import {
  type EventType,
  eventTypes,
  isOneOf,
  isTradepostError,
  type OrderStatus,
  orderStatuses,
  orderTransitions,
  Tradepost,
} from '@tradepost/sdk';
import {
  deliveryRequest,
  explainDelivery,
  explainFailure,
  explainWebhook,
} from '@tradepost/sdk/explain';
import { createPooledFetch } from '@tradepost/sdk/node';
import {
  edgeCaseDelivery,
  exampleSecret,
  invalidDelivery,
  mockTradepost,
  sampleEvent,
  signDelivery,
} from '@tradepost/sdk/testing';
import { validateEvent, validateResponses } from '@tradepost/sdk/validate';
import {
  createMemoryDedupeStore,
  verifyDelivery,
  verifyWebhook,
  verifyWebhookSync,
  webhookReceiver,
} from '@tradepost/sdk/webhooks';

export const pooledFetch = createPooledFetch();
export const client = new Tradepost({ baseUrl: 'https://trade.example', apiKey: 'tpk_1' });
export const other = client.withOptions({ fetch: pooledFetch, validate: validateResponses });

export const { orders, notifications, webhooks, deliveries, events, partners, account } = client;
export const { keys, signIn } = client;

export const page = client.orders.list();
export const expanded = client.orders.list({ expand: ['buyer', 'listing'] });
export const order = client.orders.get('ord_1', { expand: 'seller' });
export const result = client.orders.get('ord_1').safe();
export const response = client.webhooks.list().withResponse();
export const stream = client.events.follow({ onOutage: undefined });
export const latest = client.events.latest().toArray({ limit: 3 });
export const replays = client.webhooks.replayAll('whk_1');
export const unknown = client.request('GET', '/v2/things');

export const listDeliveries = () => client.deliveries.list().toArray({ limit: 100 });
export const createKey = async () => await client.keys.create({ name: 'export' });
export const getAccount = async () => await client.account.get();
export const moveOrder = async () => await client.orders.move('ord_1', { to: 'confirmed' });
export const readError = (caught: unknown) => (isTradepostError(caught) ? caught : null);
export const readCode = (caught: unknown) => (isTradepostError(caught) ? caught.code : null);

/** A class with a client, whose members are inferred. */
export class Shop {
  readonly orders = client.orders;
  readonly listPending = () => this.orders.list({ status: 'pending' });
  async create(listingId: string) {
    return this.orders.create({ listingId, quantity: 1 });
  }
  async explain(id: string) {
    const delivery = await client.deliveries.get(id);
    const webhook = await client.webhooks.get(delivery.webhookId);
    return {
      request: await deliveryRequest(delivery),
      delivery: explainDelivery(delivery, { webhook }),
      webhook: explainWebhook(webhook),
      failure: explainFailure(delivery),
    };
  }
}

/** The statuses that an order may get next. */
export const listNext = async (id: string) => {
  const { status } = await client.orders.get(id);
  return isOneOf(orderStatuses, status) ? orderTransitions[status] : [];
};

export const dedupe = createMemoryDedupeStore();
export const receiver = webhookReceiver({
  secret: exampleSecret,
  validate: validateEvent,
  dedupe,
  on: { 'order.created': ({ data }) => data.quantity },
});
export const { fetch: receive, node, fastify, lambda } = receiver;
export const event = verifyWebhook({ payload: '', secret: exampleSecret });
export const delivery = verifyDelivery({ payload: '', secret: exampleSecret });
export const readType = async (payload: string) =>
  (await verifyWebhook({ payload, secret: exampleSecret })).event;
export const verify = (payload: string) => verifyWebhookSync({ payload, secret: exampleSecret });

export const mock = mockTradepost();
export const { client: buyer, as, addOrder, addListing, deliver, requests } = mock;
export const mockOrders = mock.client.orders;
export const seller = mock.as('seller');
export const sample = sampleEvent('order.status_changed', { data: { reason: undefined } });
export const signed = signDelivery({ event: sample, secret: exampleSecret });
export const invalid = invalidDelivery('tampered', { secret: exampleSecret });
export const unusual = edgeCaseDelivery('unknown-fields', { secret: exampleSecret });

/** Parameters that may be undefined, and lists that may not be changed. */
export const search = (status?: OrderStatus, limit?: number, since?: Date) => [
  client.orders.list({ status, limit, createdAfter: since }, { timeout: undefined }),
  client.deliveries.list({ since, state: undefined }),
  client.events.list({ since, type: undefined }),
  client.notifications.list({ read: undefined }),
  mock.addOrder({ status, listingId: undefined }),
];
export const subscribe = (url: string, types?: readonly EventType[]) => [
  client.webhooks.create({ url, events: types ?? eventTypes }),
  client.webhooks.update('whk_1', { events: types, status: undefined }),
];
