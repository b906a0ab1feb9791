import type { IncomingHttpHeaders } from 'node:http';
import { describe, expectTypeOf, test } from 'vitest';
import {
  type AccountEvent,
  type AnyTradepostError,
  type ApiPromise,
  type ApiResponse,
  type EventPage,
  type ExpandedOrder,
  type Fetch,
  isTradepostError,
  type Order,
  type OrderListParams,
  type OrderPage,
  type OrderParty,
  type OrderStatus,
  type OrderTotal,
  type Other,
  type ProblemIssue,
  type RequestHeaders,
  type ResponseHeaders,
  type Result,
  Tradepost,
  TradepostError,
  type TradepostHooks,
  type TradepostLogger,
} from '../src/index';
import {
  type DeliveryHeaders,
  type VerifyWebhookOptions,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookEvent,
} from '../src/webhooks/index';

declare const caught: unknown;
declare const event: WebhookEvent;

const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey: 'tpk_1' });

describe('the client', () => {
  test('takes the global fetch, and rejects a function that returns no response', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
    expectTypeOf<() => string>().not.toExtend<Fetch>();
  });

  test('accepts each status and filter, and rejects others', () => {
    type Query = Parameters<typeof tradepost.orders.list>[0];
    expectTypeOf<{ status: 'pending' }>().toExtend<Query>();
    expectTypeOf<{ status: 'lost' }>().not.toExtend<Query>();
    // @ts-expect-error there is no such filter
    const query: Query = { state: 'pending' };
    expectTypeOf(query).toEqualTypeOf<Query>();
  });

  test('types an expanded order by what was requested', async () => {
    const { buyer, listing, ...rest } = await tradepost.orders.get('ord_1', {
      expand: ['buyer', 'listing'],
    });
    expectTypeOf(buyer.name).toEqualTypeOf<string>();
    expectTypeOf(listing.title).toEqualTypeOf<string | null>();
    expectTypeOf(rest).not.toHaveProperty('seller');
    for await (const order of tradepost.orders.list({ expand: 'agent', status: ['pending'] })) {
      expectTypeOf(order.agent).toEqualTypeOf<OrderParty | null>();
      expectTypeOf(order).not.toHaveProperty('buyer');
      expectTypeOf(order).toExtend<Order>();
      expectTypeOf(order).toExtend<ExpandedOrder<'agent'>>();
    }
    const { data, total } = await tradepost.orders.list({ expand: 'buyer', count: 10 });
    expectTypeOf(data).items.toHaveProperty('buyer');
    expectTypeOf(total).toEqualTypeOf<OrderTotal | undefined>();
  });

  test('types an order without expand as before, also if expand is optional', async () => {
    expectTypeOf(await tradepost.orders.get('ord_1')).toEqualTypeOf<Order>();
    expectTypeOf(await tradepost.orders.get('ord_1', { timeout: 5 })).toEqualTypeOf<Order>();
    expectTypeOf(await tradepost.orders.list()).toEqualTypeOf<OrderPage>();
    const params: OrderListParams = {};
    expectTypeOf(await tradepost.orders.list(params)).toEqualTypeOf<OrderPage>();
    // @ts-expect-error there is no such expansion
    tradepost.orders.list({ expand: ['quantity'] });
  });

  test('takes ifMatch for the update of an order alone', () => {
    type Options = NonNullable<Parameters<typeof tradepost.orders.get>[1]>;
    type UpdateOptions = NonNullable<Parameters<typeof tradepost.orders.update>[2]>;
    expectTypeOf<UpdateOptions>().toHaveProperty('ifMatch');
    expectTypeOf<Options>().not.toHaveProperty('ifMatch');
  });

  test('returns a page when a list is awaited, and yields items in a loop', async () => {
    const list = tradepost.orders.list();
    expectTypeOf(await list).toEqualTypeOf<OrderPage>();
    for await (const order of list) expectTypeOf(order).toEqualTypeOf<Order>();
    for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<OrderPage>();
    expectTypeOf(await list.toArray({ limit: 5 })).toEqualTypeOf<Order[]>();
    expectTypeOf(list.withResponse()).toEqualTypeOf<Promise<ApiResponse<OrderPage>>>();
    expectTypeOf(list.safe()).toEqualTypeOf<Promise<Result<OrderPage>>>();
  });

  test('returns pages of events that always have a next cursor', async () => {
    expectTypeOf(await tradepost.events.list()).toEqualTypeOf<EventPage>();
    expectTypeOf<EventPage['nextCursor']>().toEqualTypeOf<string>();
    for await (const event of tradepost.events.follow()) {
      expectTypeOf(event).toEqualTypeOf<AccountEvent>();
    }
    for await (const page of tradepost.events.follow().pages()) {
      expectTypeOf(page).toEqualTypeOf<EventPage>();
    }
  });

  test('returns a promise with withResponse and safe', async () => {
    const call = tradepost.orders.get('ord_1');
    expectTypeOf(call).toEqualTypeOf<ApiPromise<Order>>();
    expectTypeOf(call).toExtend<Promise<Order>>();
    expectTypeOf(await call).toEqualTypeOf<Order>();
    const { data, headers } = await call.withResponse();
    expectTypeOf(data).toEqualTypeOf<Order>();
    expectTypeOf(headers.get('etag')).toEqualTypeOf<string | null>();
    const result = await call.safe();
    // @ts-expect-error there may be no data
    expectTypeOf(result.data).toEqualTypeOf<Order>();
    if (result.ok) expectTypeOf(result.data).toEqualTypeOf<Order>();
    else expectTypeOf(result.error).toEqualTypeOf<AnyTradepostError>();
  });

  test('takes headers in every form that fetch takes', () => {
    expectTypeOf<Headers>().toExtend<ResponseHeaders>();
    expectTypeOf<Headers>().toExtend<RequestHeaders>();
  });

  test('takes a logger without some methods, and one whose fields are narrower', () => {
    expectTypeOf<{ debug: undefined; warn: Console['warn'] }>().toExtend<TradepostLogger>();
    type Narrower = { info: (message: string, fields: Record<string, unknown>) => void };
    expectTypeOf<Narrower>().toExtend<TradepostLogger>();
  });

  test('takes console as a logger, and synchronous or asynchronous hooks', () => {
    expectTypeOf<Console>().toExtend<TradepostLogger>();
    expectTypeOf<() => Promise<void>>().toExtend<TradepostHooks['onRequest']>();
    expectTypeOf<() => void>().toExtend<TradepostHooks['onError']>();
  });
});

describe('isTradepostError', () => {
  test('narrows to classes, discriminated by name', () => {
    if (!isTradepostError(caught)) return;
    expectTypeOf(caught).toExtend<TradepostError>();
    switch (caught.name) {
      case 'RateLimitError':
        expectTypeOf(caught.retryAfter).toEqualTypeOf<number | null>();
        break;
      case 'ValidationError':
        expectTypeOf(caught.errors).toEqualTypeOf<ProblemIssue[]>();
        break;
      case 'TradepostError':
        // @ts-expect-error only some classes know when to come back
        expectTypeOf(caught.retryAfter).toBeNumber();
        break;
      // @ts-expect-error there is no such class
      case 'TeapotError':
        break;
    }
  });

  test('narrows with instanceof too', () => {
    if (caught instanceof TradepostError) {
      expectTypeOf(caught.status).toEqualTypeOf<number | null>();
    }
  });
});

describe('a verified event', () => {
  test('is discriminated by its event field', () => {
    if (event.event === 'order.status_changed') {
      expectTypeOf(event.data.previousStatus).toEqualTypeOf<OrderStatus | Other>();
    }
    if (event.event === 'listing.availability_low') {
      expectTypeOf(event.data.availableQuantity).toBeNumber();
    }
    expectTypeOf(event.data).not.toHaveProperty('previousStatus');
  });

  test('has no type field', () => {
    expectTypeOf<WebhookEvent>().not.toHaveProperty('type');
  });

  test('is a promise from verifyWebhook, and a value from verifyWebhookSync', () => {
    expectTypeOf(verifyWebhook).returns.toEqualTypeOf<Promise<WebhookEvent>>();
    expectTypeOf(verifyWebhookSync).returns.toEqualTypeOf<WebhookEvent>();
  });
});

describe('the input of verification', () => {
  test('may have the headers of Node, of a Request, or any record', () => {
    expectTypeOf<IncomingHttpHeaders>().toExtend<DeliveryHeaders>();
    expectTypeOf<Headers>().toExtend<DeliveryHeaders>();
    expectTypeOf<Record<string, string>>().toExtend<DeliveryHeaders>();
  });

  test('has the raw body, never a parsed one', () => {
    expectTypeOf<Buffer>().toExtend<VerifyWebhookOptions['payload']>();
    expectTypeOf<{ event: string }>().not.toExtend<VerifyWebhookOptions['payload']>();
  });

  test('may have a secret straight from the environment', () => {
    expectTypeOf<string | undefined>().toExtend<VerifyWebhookOptions['secret']>();
  });
});
