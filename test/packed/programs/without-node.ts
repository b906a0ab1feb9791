/**
 * Uses the SDK without Node, and makes mistakes that must not compile. It is only compiled: with the types of
 * browsers, and with those of Node. The declarations of the SDK may need neither.
 */
import {
  type AnyTradepostError,
  type Order,
  type OrderStatus,
  Tradepost,
  type TradepostOptions,
} from '@tradepost/sdk';
import { sampleEvent, signDelivery } from '@tradepost/sdk/testing';
import { validateResponses } from '@tradepost/sdk/validate';
import { verifyWebhook, type WebhookEvent, webhookReceiver } from '@tradepost/sdk/webhooks';

const options: TradepostOptions = {
  baseUrl: 'https://trade.example',
  apiKey: 'tpk_1',
  fetch: globalThis.fetch,
  validate: validateResponses,
};

/** Every way to read a call and a list. */
export async function call(signal: AbortSignal): Promise<[Order | AnyTradepostError, string[]]> {
  const tradepost = new Tradepost(options);
  const result = await tradepost.orders.get('ord_1', { signal }).safe();
  const { data, headers } = await tradepost.orders.get('ord_1').withResponse();
  const page = await tradepost.orders.list({ status: 'pending' });
  const orders = await tradepost.orders.list().toArray({ limit: 10 });
  const ids = [
    headers.get('ETag') ?? '',
    data.id,
    ...[...page.data, ...orders].map(({ id }) => id),
  ];
  return [result.ok ? result.data : result.error, ids];
}

/** In a switch over the event types, unknown ones reach the default branch. */
export function describe(event: WebhookEvent): string {
  switch (event.event) {
    case 'order.created':
      return `${event.data.quantity} of ${event.data.listingId}`;
    case 'order.status_changed':
      return `${event.data.previousStatus} to ${event.data.status}`;
    case 'task.approval_requested':
    case 'task.completed':
      return event.data.taskId;
    case 'listing.availability_low':
      return `${event.data.availableQuantity} left`;
    default:
      return `${event.event} of ${Object.keys(event.data).length} fields`;
  }
}

const receiver = webhookReceiver({
  secrets: ['whsec_1', 'whsec_2'],
  requireTimestamp: true,
  on: { 'listing.availability_low': async ({ data }) => data.threshold },
  onUnhandled: 'ignore',
});

/** A receiver on a host with web requests. */
export async function respond(request: Request): Promise<Response> {
  const event = await verifyWebhook({ payload: request, secret: 'whsec_1' });
  const delivery = await signDelivery({ event: sampleEvent('task.completed'), secret: 'whsec_1' });
  describe(event);
  return receiver.fetch(delivery.toRequest(request.url));
}

/** Each line has an error that only correct types report. */
export const mistakes = {
  // @ts-expect-error the service knows no such status
  status: 'lost' satisfies OrderStatus,
  // @ts-expect-error a client without a key is of no use
  client: () => new Tradepost({ baseUrl: 'https://trade.example' }),
  // @ts-expect-error a quantity is a number
  order: () => new Tradepost(options).orders.create({ listingId: 'lst_1', quantity: '1' }),
  // @ts-expect-error there is no such event
  receiver: () => webhookReceiver({ secret: 'whsec_1', on: { 'order.lost': () => {} } }),
  // @ts-expect-error the field is called event
  event: async () => (await verifyWebhook({ payload: '', secret: 'whsec_1' })).type,
};
