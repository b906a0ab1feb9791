import type { contract } from '@tradepost/contract';
import type { headerNames } from '@tradepost/contract/wire';
import type {
  AppRoute,
  ClientInferRequest,
  ClientInferResponseBody,
  HTTPStatusCode,
  ServerInferRequest,
} from '@ts-rest/core';
import { describe, expectTypeOf, test } from 'vitest';
import type {
  Account,
  AccountEvent,
  EventPage,
  FollowEventsOptions,
  LatestEventPage,
  Notification,
  Order,
  OrderExpansion,
  OrderExpansions,
  OrderPage,
  Other,
  PagePromise,
  Problem,
  RegisteredWebhook,
  RequestOptions,
  ResponseValidator,
  Session,
  Tradepost,
  UnknownWebhookEvent,
  Unrecognized,
  WebhookDetails,
  WebhookExpansion,
  WebhookExpansions,
} from '../src/index';

/** The ts-rest contract that the server implements. A difference from the SDK fails to compile here. */
type Contract = typeof contract;

/** The resources of the SDK. */
type Orders = Tradepost['orders'];
type Notifications = Tradepost['notifications'];
type Webhooks = Tradepost['webhooks'];
type Deliveries = Tradepost['deliveries'];
type Events = Tradepost['events'];
type Partners = Tradepost['partners'];
type Keys = Tradepost['keys'];

/** Whether two types are the same, which `extends` cannot tell of a text and an open text. */
type Equals<One, Another> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Another ? 1 : 2
    ? true
    : false;

/** Parameters as they are sent: the SDK takes dates and lists too, and sends them as texts. Undefined ones are not sent. */
type Sent<Query> = {
  [Name in keyof Query]: Query[Name] extends infer Value
    ? Value extends readonly unknown[]
      ? string
      : Exclude<Value, Date | undefined>
    : never;
};

/** A body as it is sent: the SDK takes lists that it may not change, and sends no undefined fields. */
type SentBody<Body> = {
  [Name in keyof Body]: Body[Name] extends infer Value
    ? Value extends readonly (infer Item)[]
      ? Item[]
      : Exclude<Value, undefined>
    : never;
};

/** Parameters as the server reads them: one value or several are a list. */
type Read<Query> = { [Name in keyof Query]: ReadValue<Query[Name]> };
type ReadValue<Value> = [Extract<Value, readonly unknown[]>] extends [never]
  ? Exclude<Value, Date | undefined>
  : Extract<Value, readonly unknown[]>[number][];

/**
 * A response type without unrecognized values, which the contract does not have. Objects are mapped, so
 * that interfaces and intersections compare alike.
 */
type Closed<Shape> = Shape extends string
  ? Equals<Shape, Other> extends true
    ? never
    : Exclude<Shape, Unrecognized>
  : Shape extends readonly (infer Item)[]
    ? Closed<Item>[]
    : Shape extends UnknownWebhookEvent
      ? never
      : Shape extends object
        ? { [Name in keyof Shape]: Closed<Shape[Name]> }
        : Shape;

/** The query that a list method takes. */
type QueryOf<Method extends (query: never) => unknown> = Sent<NonNullable<Parameters<Method>[0]>>;

/** The envelope that a method takes its result out of. */
type EnvelopeOf<Method extends (...given: never) => unknown> =
  ReturnType<Method> extends PagePromise<infer Item>
    ? { data: Closed<Item>[]; nextCursor: string | null }
    : { data: Closed<Awaited<ReturnType<Method>>> };

/** The body of a successful response, mapped by `Closed`. */
type BodyOf<Route extends AppRoute, Status extends HTTPStatusCode> = Closed<
  ClientInferResponseBody<Route, Status>
>;

describe('each request of the SDK equals that of the contract:', () => {
  test('orders.list sends every query parameter of the contract', () => {
    type Query = QueryOf<Orders['list']>;
    expectTypeOf<Query>().toExtend<ClientInferRequest<Contract['orders']['list']>['query']>();
    expectTypeOf<Read<NonNullable<Parameters<Orders['list']>[0]>>>().toEqualTypeOf<
      ServerInferRequest<Contract['orders']['list']>['query']
    >();
  });

  test('orders.create sends the body of the contract, and its idempotency key', () => {
    type Request = ClientInferRequest<Contract['orders']['create']>;
    expectTypeOf<SentBody<Parameters<Orders['create']>[0]>>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<
      Lowercase<typeof headerNames.idempotencyKey>
    >();
  });

  test('orders.get sends the path and the query of the contract', () => {
    type Request = ClientInferRequest<Contract['orders']['get']>;
    type Options = Omit<NonNullable<Parameters<Orders['get']>[1]>, keyof RequestOptions>;
    expectTypeOf<Sent<Options>>().toExtend<Request['query']>();
    expectTypeOf<Read<Options>>().toEqualTypeOf<
      ServerInferRequest<Contract['orders']['get']>['query']
    >();
    expectTypeOf<{ id: Parameters<Orders['get']>[0] }>().toEqualTypeOf<Request['params']>();
  });

  test('orders.update sends the path and the body of the contract, and its precondition', () => {
    type Request = ClientInferRequest<Contract['orders']['update']>;
    expectTypeOf<{ id: Parameters<Orders['update']>[0] }>().toEqualTypeOf<Request['params']>();
    expectTypeOf<SentBody<Parameters<Orders['update']>[1]>>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<Lowercase<typeof headerNames.ifMatch>>();
  });

  test('notifications.list sends every query parameter of the contract', () => {
    type Query = QueryOf<Notifications['list']>;
    type Route = Contract['notifications']['list'];
    expectTypeOf<Query>().toExtend<ClientInferRequest<Route>['query']>();
    expectTypeOf<Query>().toEqualTypeOf<ServerInferRequest<Route>['query']>();
  });

  test('notifications.markRead sends the path of the contract', () => {
    type Request = ClientInferRequest<Contract['notifications']['update']>;
    type Id = Parameters<Notifications['markRead']>[0];
    expectTypeOf<{ id: Id }>().toEqualTypeOf<Request['params']>();
    expectTypeOf<{ read: true }>().toEqualTypeOf<Request['body']>();
  });

  test('notifications.markAllRead sends the body of the contract', () => {
    type Body = ServerInferRequest<Contract['notifications']['markAllRead']>['body'];
    expectTypeOf<Sent<Parameters<Notifications['markAllRead']>[0]>>().toEqualTypeOf<Body>();
  });

  test('webhooks.create sends the body of the contract, and its idempotency key', () => {
    type Request = ClientInferRequest<Contract['webhooks']['create']>;
    expectTypeOf<SentBody<Parameters<Webhooks['create']>[0]>>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<
      Lowercase<typeof headerNames.idempotencyKey>
    >();
  });

  test('webhooks.update and webhooks.test send the bodies of the contract', () => {
    type Update = ClientInferRequest<Contract['webhooks']['update']>;
    expectTypeOf<SentBody<Parameters<Webhooks['update']>[1]>>().toEqualTypeOf<Update['body']>();
    type Sample = ClientInferRequest<Contract['webhooks']['test']>;
    expectTypeOf<Parameters<Webhooks['test']>[1]>().toEqualTypeOf<Sample['body']>();
  });

  test('webhooks.replayDeliveries sends the body of the contract', () => {
    type Replays = ServerInferRequest<Contract['webhooks']['replayDeliveries']>['body'];
    expectTypeOf<Sent<Parameters<Webhooks['replayDeliveries']>[1]>>().toEqualTypeOf<Replays>();
  });

  test('the lists of the extensions send every query parameter of the contract', () => {
    type Routes = Contract;
    expectTypeOf<Read<NonNullable<Parameters<Webhooks['list']>[0]>>>().toEqualTypeOf<
      ServerInferRequest<Routes['webhooks']['list']>['query']
    >();
    expectTypeOf<Sent<NonNullable<Parameters<Webhooks['stats']>[1]>>>().toEqualTypeOf<
      ServerInferRequest<Routes['webhooks']['stats']>['query']
    >();
    expectTypeOf<QueryOf<Deliveries['list']>>().toEqualTypeOf<
      ServerInferRequest<Routes['deliveries']['list']>['query']
    >();
    expectTypeOf<QueryOf<Partners['list']>>().toEqualTypeOf<
      ServerInferRequest<Routes['partners']['list']>['query']
    >();
    type Query = ServerInferRequest<Routes['events']['list']>['query'];
    type Forward = Omit<Query, 'tail' | 'before'>;
    expectTypeOf<QueryOf<Events['list']>>().toEqualTypeOf<Forward>();
    // It sends `from` as `after`, and has options of its own.
    type Own = 'from' | 'reconnectTimeout' | 'onOutage';
    expectTypeOf<Sent<Omit<FollowEventsOptions, Own>>>().toEqualTypeOf<Omit<Forward, 'until'>>();
    // It sends its limit as `tail`.
    expectTypeOf<QueryOf<Events['latest']>>().toEqualTypeOf<
      Omit<Query, 'after' | 'waitSeconds' | 'tail'>
    >();
  });

  test('the other extensions send an ID and nothing else', () => {
    type Promoting = ClientInferRequest<Contract['webhooks']['promoteSecret']>;
    expectTypeOf<{ id: Parameters<Webhooks['promoteSecret']>[0] }>().toEqualTypeOf<
      Promoting['params']
    >();
    type Replay = ClientInferRequest<Contract['deliveries']['replay']>;
    expectTypeOf<{ id: Parameters<Deliveries['replay']>[0] }>().toEqualTypeOf<Replay['params']>();
  });
});

describe('the requests about keys of the SDK equal those of the contract:', () => {
  test('keys.create sends the body of the contract, and keys.list its query', () => {
    type Create = ClientInferRequest<Contract['keys']['create']>;
    expectTypeOf<SentBody<NonNullable<Parameters<Keys['create']>[0]>>>().toEqualTypeOf<
      Create['body']
    >();
    expectTypeOf<QueryOf<Keys['list']>>().toExtend<
      ClientInferRequest<Contract['keys']['list']>['query']
    >();
  });
});

describe('the responses of the SDK, without unrecognized values, equal those of the contract', () => {
  test('orders', () => {
    type Routes = Contract['orders'];
    // The contract has one type of order, with what a request may expand.
    type AnyOrder = Closed<Order & Partial<OrderExpansions>>;
    type AnyPage = Closed<Omit<OrderPage, 'data'> & { data: AnyOrder[] }>;
    expectTypeOf<AnyPage>().toEqualTypeOf<BodyOf<Routes['list'], 200>>();
    expectTypeOf<{ data: AnyOrder }>().toEqualTypeOf<BodyOf<Routes['create'], 201>>();
    expectTypeOf<{ data: AnyOrder }>().toEqualTypeOf<BodyOf<Routes['get'], 200>>();
    // The SDK's has it only after a request that does.
    type Plain = { data: Closed<Order> };
    expectTypeOf<keyof OrderExpansions>().toEqualTypeOf<OrderExpansion>();
    expectTypeOf<EnvelopeOf<Orders['list']>['data']>().toEqualTypeOf<Closed<Order>[]>();
    expectTypeOf<EnvelopeOf<Orders['create']>>().toEqualTypeOf<Plain>();
    expectTypeOf<EnvelopeOf<Orders['get']>>().toEqualTypeOf<Plain>();
    // Complete from a service that sends it.
    expectTypeOf<Order>().toExtend<Awaited<ReturnType<Orders['update']>>>();
  });

  test('notifications', () => {
    type Routes = Contract['notifications'];
    expectTypeOf<EnvelopeOf<Notifications['list']>>().toEqualTypeOf<BodyOf<Routes['list'], 200>>();
    expectTypeOf<Notification>().toExtend<Awaited<ReturnType<Notifications['markRead']>>>();
    expectTypeOf<EnvelopeOf<Notifications['markAllRead']>>().toEqualTypeOf<
      BodyOf<Routes['markAllRead'], 200>
    >();
  });

  test('webhooks', () => {
    type Routes = Contract['webhooks'];
    expectTypeOf<{ data: Closed<RegisteredWebhook> }>().toEqualTypeOf<
      BodyOf<Routes['create'], 201>
    >();
    expectTypeOf<RegisteredWebhook>().toExtend<Awaited<ReturnType<Webhooks['create']>>>();
    // The contract has one type of details, with what a list may expand.
    type AnyDetails = Closed<WebhookDetails & Partial<WebhookExpansions>>;
    type AnyPage = Closed<Omit<Awaited<ReturnType<Webhooks['list']>>, 'data'>> & {
      data: AnyDetails[];
    };
    expectTypeOf<Closed<AnyPage>>().toEqualTypeOf<BodyOf<Routes['list'], 200>>();
    expectTypeOf<{ data: AnyDetails }>().toEqualTypeOf<BodyOf<Routes['get'], 200>>();
    expectTypeOf<{ data: AnyDetails }>().toEqualTypeOf<BodyOf<Routes['update'], 200>>();
    // The SDK's has it only after a request that does.
    type Plain = { data: Closed<WebhookDetails> };
    expectTypeOf<keyof WebhookExpansions>().toEqualTypeOf<WebhookExpansion>();
    expectTypeOf<EnvelopeOf<Webhooks['list']>['data']>().toEqualTypeOf<Closed<WebhookDetails>[]>();
    expectTypeOf<EnvelopeOf<Webhooks['get']>>().toEqualTypeOf<Plain>();
    expectTypeOf<EnvelopeOf<Webhooks['update']>>().toEqualTypeOf<Plain>();
    expectTypeOf<EnvelopeOf<Webhooks['stats']>>().toEqualTypeOf<BodyOf<Routes['stats'], 200>>();
    expectTypeOf<EnvelopeOf<Webhooks['stageSecret']>>().toEqualTypeOf<
      BodyOf<Routes['stageSecret'], 201>
    >();
    expectTypeOf<EnvelopeOf<Webhooks['promoteSecret']>>().toEqualTypeOf<Plain>();
    expectTypeOf<EnvelopeOf<Webhooks['test']>>().toEqualTypeOf<BodyOf<Routes['test'], 202>>();
    expectTypeOf<EnvelopeOf<Webhooks['replayDeliveries']>>().toEqualTypeOf<
      BodyOf<Routes['replayDeliveries'], 202>
    >();
    expectTypeOf<Awaited<ReturnType<Webhooks['delete']>>>().toEqualTypeOf<void>();
  });

  test('deliveries', () => {
    type Routes = Contract['deliveries'];
    expectTypeOf<EnvelopeOf<Deliveries['list']>>().toEqualTypeOf<BodyOf<Routes['list'], 200>>();
    expectTypeOf<EnvelopeOf<Deliveries['get']>>().toEqualTypeOf<BodyOf<Routes['get'], 200>>();
    expectTypeOf<EnvelopeOf<Deliveries['replay']>>().toEqualTypeOf<BodyOf<Routes['replay'], 202>>();
  });

  test('events', () => {
    type Route = Contract['events']['list'];
    type Page = BodyOf<Route, 200>;
    expectTypeOf<Closed<EventPage>>().toEqualTypeOf<Omit<Page, 'previousCursor'>>();
    expectTypeOf<Awaited<ReturnType<Events['list']>>>().toEqualTypeOf<EventPage>();
    expectTypeOf<Closed<LatestEventPage['data']>>().toEqualTypeOf<Page['data']>();
    expectTypeOf<LatestEventPage['nextCursor'] | undefined>().toEqualTypeOf<
      Page['previousCursor']
    >();
    expectTypeOf<EnvelopeOf<Events['get']>>().toEqualTypeOf<
      BodyOf<Contract['events']['get'], 200>
    >();
    expectTypeOf<ReturnType<Events['follow']>>().toExtend<AsyncIterable<AccountEvent>>();
  });

  test('partners', () => {
    type Route = Contract['partners']['list'];
    expectTypeOf<EnvelopeOf<Partners['list']>>().toEqualTypeOf<BodyOf<Route, 200>>();
  });

  test('the account', () => {
    expectTypeOf<{ data: Closed<Account> }>().toEqualTypeOf<
      BodyOf<Contract['account']['get'], 200>
    >();
  });

  test('keys and signing in', () => {
    type Routes = Contract['keys'];
    expectTypeOf<EnvelopeOf<Keys['list']>>().toEqualTypeOf<BodyOf<Routes['list'], 200>>();
    expectTypeOf<EnvelopeOf<Keys['create']>>().toEqualTypeOf<BodyOf<Routes['create'], 201>>();
    expectTypeOf<EnvelopeOf<Tradepost['signIn']['createCode']>>().toEqualTypeOf<
      BodyOf<Contract['signInCodes']['create'], 201>
    >();
    expectTypeOf<{ data: Closed<Session> }>().toEqualTypeOf<
      BodyOf<Contract['sessions']['create'], 201>
    >();
  });

  test('overviews', () => {
    expectTypeOf<EnvelopeOf<Orders['timeline']>>().toEqualTypeOf<
      BodyOf<Contract['orders']['timeline'], 200>
    >();
    expectTypeOf<EnvelopeOf<Tradepost['summary']['get']>>().toEqualTypeOf<
      BodyOf<Contract['summary']['get'], 200>
    >();
  });

  test('problems', () => {
    expectTypeOf<Closed<Problem>>().toEqualTypeOf<BodyOf<Contract['orders']['update'], 409>>();
    expectTypeOf<ReturnType<ResponseValidator>>().toEqualTypeOf<
      readonly NonNullable<Problem['errors']>[number][]
    >();
  });
});
