import { describe, expectTypeOf, test } from 'vitest';
import { type Order, type OrderStatus, Tradepost } from '../../../src/index';
import { type MockOperation, type MockRequest, mockTradepost } from '../../../src/testing/index';

const mock = mockTradepost();

describe('mockTradepost', () => {
  test('returns clients of the real class', () => {
    expectTypeOf(mock.client).toEqualTypeOf<Tradepost>();
    expectTypeOf(mock.as('seller')).toEqualTypeOf<Tradepost>();
    mock.as(mock.addAccount({ kind: 'agent' }), { maxRetries: 0, hooks: {} });
    // @ts-expect-error there is no such kind of account
    mock.as('broker');
    // @ts-expect-error there is no such option
    mock.as('buyer', { retries: 0 });
  });

  test('returns options that a client takes', () => {
    new Tradepost({ ...mock.clientOptions('buyer'), userAgent: 'shop' });
    new Tradepost(mock.clientOptions(mock.accounts.agent));
  });

  test('takes data with sparse fields', () => {
    expectTypeOf(mock.addOrder()).toEqualTypeOf<Order>();
    mock.addOrder({ status: 'completed', agentId: null });
    const status: OrderStatus = 'pending';
    mock.addOrder({ status });
    // @ts-expect-error no service has that status
    mock.addOrder({ status: 'lost' });
    // @ts-expect-error a misspelt field
    mock.addListing({ availableQuantiy: 3 });
  });

  test('fails operations of the client', () => {
    expectTypeOf(mock.fail).parameter(0).toEqualTypeOf<MockOperation | '*'>();
    expectTypeOf(mock.fail('*', 'timeout')).toEqualTypeOf<() => void>();
    mock.fail('orders.create', { code: 'insufficient_quantity' });
    mock.fail('orders.create', { status: 409, code: 'newer_than_this_version' }, { times: 2 });
    // @ts-expect-error a call of events.list
    mock.fail('events.follow', 'timeout');
    // @ts-expect-error there is no such failure
    mock.fail('orders.get', 'offline');
  });

  test('lists requests, which a test does not change', () => {
    expectTypeOf(mock.requests).toEqualTypeOf<readonly MockRequest[]>();
  });
});
