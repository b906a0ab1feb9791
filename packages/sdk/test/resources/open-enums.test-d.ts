import { describe, expectTypeOf, test } from 'vitest';
import {
  type AccountEvent,
  allEventTypes,
  type DeliveryState,
  type EventType,
  exhaustive,
  isOneOf,
  type Order,
  type OrderStatus,
  type Other,
  orderStatuses,
  orderTransitions,
  type Problem,
  type ProblemCode,
  Tradepost,
  type Unrecognized,
} from '../../src/index';

const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey: 'tpk_1' });

describe('an open enum type', () => {
  const { orders, webhooks, deliveries, account } = tradepost;

  test('is open in responses', async () => {
    expectTypeOf<Order['status']>().toEqualTypeOf<OrderStatus | Other>();
    const webhook = await webhooks.get('whk_1');
    expectTypeOf(webhook.events).toEqualTypeOf<(EventType | Other)[]>();
    expectTypeOf(webhook.status).toEqualTypeOf<'active' | 'paused' | Other>();
    const delivery = await deliveries.get('dlv_1');
    expectTypeOf(delivery.event).toEqualTypeOf<EventType | Other>();
    expectTypeOf(delivery.state).toEqualTypeOf<DeliveryState | Other>();
    expectTypeOf<Problem['code']>().toEqualTypeOf<ProblemCode | Other>();
    const { kind } = await account.get();
    expectTypeOf(kind).toEqualTypeOf<'buyer' | 'seller' | 'agent' | Other>();
    const [notification] = (await tradepost.notifications.list()).data;
    expectTypeOf<Other>().toExtend<NonNullable<typeof notification>['type']>();
  });

  test('of a request takes a list that may not change', () => {
    const url = 'https://receiver.example';
    expectTypeOf(webhooks.create({ url, events: allEventTypes })).resolves.toHaveProperty('secret');
    webhooks.update('whk_1', { events: allEventTypes });
    orders.list({ status: orderStatuses });
  });

  test('is closed in requests', async () => {
    const { status } = await orders.get('ord_1');
    // @ts-expect-error an unrecognized status cannot be sent
    await orders.update('ord_1', { status });
    // @ts-expect-error an unknown event type cannot be sent either
    await webhooks.create({ url: 'https://receiver.example', events: ['order.archived'] });
  });

  test('is a text, and remains after all known values are excluded', async () => {
    const { status } = await orders.get('ord_1');
    expectTypeOf(status).toExtend<string>();
    switch (status) {
      case 'pending':
        expectTypeOf<'pending'>().toExtend<typeof status>();
        break;
      case 'confirmed':
      case 'fulfilling':
      case 'completed':
      case 'cancelled':
        break;
      default:
        expectTypeOf(status).toEqualTypeOf<Other>();
        expectTypeOf(status.toUpperCase()).toBeString();
    }
  });

  test('can be compared with a value that this version does not know', async () => {
    const { status } = await orders.get('ord_1');
    expectTypeOf(status === 'archived').toBeBoolean();
    const delivery = await deliveries.get('dlv_1');
    expectTypeOf(delivery.event === 'order.archived').toBeBoolean();
  });

  test('can be checked for a switch that forgets a known value', () => {
    function complete(status: Order['status']): string {
      switch (status) {
        case 'pending':
        case 'confirmed':
        case 'fulfilling':
        case 'completed':
        case 'cancelled':
          return 'known';
        default:
          return exhaustive(status);
      }
    }
    function incomplete(status: Order['status']): string {
      switch (status) {
        case 'pending':
        case 'confirmed':
        case 'fulfilling':
        case 'completed':
          return 'known';
        default:
          // @ts-expect-error cancelled is not handled
          return exhaustive(status);
      }
    }
    expectTypeOf(complete).toEqualTypeOf(incomplete);
    expectTypeOf(exhaustive<Other>).parameters.toEqualTypeOf<[value: Other]>();
    expectTypeOf(exhaustive<Unrecognized>).parameters.toEqualTypeOf<[value: Unrecognized]>();
    expectTypeOf(exhaustive<never>).parameters.toEqualTypeOf<[value: never]>();
  });

  test('is narrowed to a list by isOneOf', async () => {
    const order = await orders.get('ord_1');
    // @ts-expect-error the service may have added a status
    expectTypeOf(orderTransitions[order.status]);
    if (isOneOf(orderStatuses, order.status)) {
      expectTypeOf(order.status).toEqualTypeOf<OrderStatus>();
      expectTypeOf(orderTransitions[order.status]).toExtend<readonly OrderStatus[]>();
      await orders.update('ord_1', { status: order.status });
    } else {
      expectTypeOf(order.status).toEqualTypeOf<Other>();
    }
    const webhook = await webhooks.get('whk_1');
    const known = webhook.events.filter((event) => isOneOf(allEventTypes, event));
    expectTypeOf(known).toEqualTypeOf<EventType[]>();
    await webhooks.update('whk_1', { events: known });
  });

  test('requires a switch to handle it', () => {
    // @ts-expect-error not every way returns a number
    function forgetful({ status }: Order): number {
      switch (status) {
        case 'pending':
        case 'confirmed':
        case 'fulfilling':
          return 1;
        case 'completed':
        case 'cancelled':
          return 0;
      }
    }

    function careful({ status }: Order): number {
      switch (status) {
        case 'pending':
        case 'confirmed':
        case 'fulfilling':
          return 1;
        case 'completed':
        case 'cancelled':
          return 0;
        default:
          return Number.NaN;
      }
    }
    expectTypeOf(forgetful).toEqualTypeOf(careful);
  });

  test('keeps the data of an unknown event type', async () => {
    const [event] = (await tradepost.events.list()).data;
    if (!event) return;
    expectTypeOf(event.id).toBeString();
    switch (event.event) {
      case 'order.created':
        expectTypeOf(event.data.quantity).toBeNumber();
        break;
      case 'order.status_changed':
        expectTypeOf(event.data.status).toEqualTypeOf<OrderStatus | Other>();
        break;
      case 'task.approval_requested':
      case 'task.completed':
        expectTypeOf(event.data.taskId).toBeString();
        break;
      case 'listing.availability_low':
        expectTypeOf(event.data.threshold).toBeNumber();
        break;
      case 'webhook.disabled':
        expectTypeOf(event.data.lastStatus).toEqualTypeOf<number | null>();
        break;
      default:
        expectTypeOf(event.data).toEqualTypeOf<Record<string, unknown>>();
    }
  });

  test('requires a switch over events to handle it too', () => {
    // @ts-expect-error not every way returns a text
    function forgetful(event: AccountEvent): string {
      switch (event.event) {
        case 'order.created':
        case 'order.status_changed':
        case 'task.approval_requested':
        case 'task.completed':
        case 'listing.availability_low':
          return event.createdAt;
      }
    }
    expectTypeOf(forgetful).returns.toBeString();
  });
});
