import type { contract } from '@tradepost/contract';
import type { headerNames } from '@tradepost/contract/wire';
import type {
  ClientInferRequest,
  ClientInferResponseBody,
  ServerInferRequest,
} from '@ts-rest/core';
import { describe, expectTypeOf, test } from 'vitest';
import type { ListCall, Problem, Tradepost } from '../src/index';

/** The ts-rest contract that the server serves: whatever drifts apart fails to compile here. */
type Contract = typeof contract;

/** What the SDK takes and answers, method by method. */
type Orders = Tradepost['orders'];
type Notifications = Tradepost['notifications'];
type Webhooks = Tradepost['webhooks'];

/** The query that a list method takes. */
type QueryOf<Method extends (query: never) => unknown> = NonNullable<Parameters<Method>[0]>;

/** The envelope that a method takes its result out of. */
type EnvelopeOf<Method extends (...given: never) => unknown> =
  ReturnType<Method> extends ListCall<infer Item>
    ? { data: Item[]; nextCursor: string | null }
    : { data: Awaited<ReturnType<Method>> };

describe('the requests of the SDK are those of the contract', () => {
  test('orders.list sends what the contract takes, and all that it reads', () => {
    type Query = QueryOf<Orders['list']>;
    expectTypeOf<Query>().toExtend<ClientInferRequest<Contract['orders']['list']>['query']>();
    expectTypeOf<Query>().toEqualTypeOf<ServerInferRequest<Contract['orders']['list']>['query']>();
  });

  test('orders.create sends the body of the contract, and its idempotency key', () => {
    type Request = ClientInferRequest<Contract['orders']['create']>;
    expectTypeOf<Parameters<Orders['create']>[0]>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<
      Lowercase<typeof headerNames.idempotencyKey>
    >();
  });

  test('orders.get sends the path of the contract', () => {
    type Request = ClientInferRequest<Contract['orders']['get']>;
    expectTypeOf<{ id: Parameters<Orders['get']>[0] }>().toEqualTypeOf<Request['params']>();
  });

  test('orders.update sends the path and the body of the contract, and its precondition', () => {
    type Request = ClientInferRequest<Contract['orders']['update']>;
    expectTypeOf<{ id: Parameters<Orders['update']>[0] }>().toEqualTypeOf<Request['params']>();
    expectTypeOf<Parameters<Orders['update']>[1]>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<Lowercase<typeof headerNames.ifMatch>>();
  });

  test('notifications.list sends what the contract takes, and all that it reads', () => {
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

  test('webhooks.create sends the body of the contract, and its idempotency key', () => {
    type Request = ClientInferRequest<Contract['webhooks']['create']>;
    expectTypeOf<Parameters<Webhooks['create']>[0]>().toEqualTypeOf<Request['body']>();
    expectTypeOf<keyof Request['headers']>().toEqualTypeOf<
      Lowercase<typeof headerNames.idempotencyKey>
    >();
  });
});

describe('the answers of the SDK are those of the contract', () => {
  test('orders', () => {
    type Routes = Contract['orders'];
    expectTypeOf<EnvelopeOf<Orders['list']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['list'], 200>
    >();
    expectTypeOf<EnvelopeOf<Orders['create']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['create'], 201>
    >();
    expectTypeOf<EnvelopeOf<Orders['get']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['get'], 200>
    >();
    expectTypeOf<EnvelopeOf<Orders['update']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['update'], 200>
    >();
  });

  test('notifications', () => {
    type Routes = Contract['notifications'];
    expectTypeOf<EnvelopeOf<Notifications['list']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['list'], 200>
    >();
    expectTypeOf<EnvelopeOf<Notifications['markRead']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['update'], 200>
    >();
  });

  test('webhooks', () => {
    type Routes = Contract['webhooks'];
    expectTypeOf<EnvelopeOf<Webhooks['create']>>().toEqualTypeOf<
      ClientInferResponseBody<Routes['create'], 201>
    >();
  });

  test('problems', () => {
    type Refusal = ClientInferResponseBody<Contract['orders']['update'], 409>;
    expectTypeOf<Problem>().toEqualTypeOf<Refusal>();
  });
});
