import type { ClientInferRequest } from '@ts-rest/core';
import { describe, expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type {
  Account,
  AccountEvent,
  AccountKey,
  accountEventSchema,
  accountKeySchema,
  accountSchema,
  CreatedWebhook,
  CreateOrder,
  CreateWebhook,
  contract,
  createdWebhookSchema,
  createOrderSchema,
  createWebhookSchema,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  deliveryAttemptSchema,
  deliveryDetailsSchema,
  deliverySchema,
  EventPage,
  eventPageSchema,
  GetOrder,
  GetWebhookStats,
  getOrderSchema,
  getWebhookStatsSchema,
  ListDeliveries,
  ListEvents,
  ListingAvailabilityLowEvent,
  ListNotifications,
  ListOrders,
  ListWebhooks,
  listDeliveriesSchema,
  listEventsSchema,
  listingAvailabilityLowSchema,
  listNotificationsSchema,
  listOrdersSchema,
  listWebhooksSchema,
  Notification,
  notificationSchema,
  Order,
  OrderCreatedEvent,
  OrderStatusChangedEvent,
  orderCreatedSchema,
  orderSchema,
  orderStatusChangedSchema,
  Page,
  Problem,
  pageSchema,
  problemSchema,
  ReplayDeliveries,
  ReplayedDeliveries,
  replayDeliveriesSchema,
  replayedDeliveriesResponseSchema,
  SendTestEvent,
  StagedSecret,
  sendTestEventSchema,
  stagedSecretSchema,
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  taskApprovalRequestedSchema,
  taskCompletedSchema,
  UpdateNotification,
  UpdateOrder,
  UpdateWebhook,
  updateNotificationSchema,
  updateOrderSchema,
  updateWebhookSchema,
  Webhook,
  WebhookDetails,
  WebhookDisabledEvent,
  WebhookEvent,
  WebhookStats,
  webhookDetailsSchema,
  webhookDisabledSchema,
  webhookEventSchema,
  webhookSchema,
  webhookStatsSchema,
} from '../src/index';

/** The members of a union, each with all its fields in one object type. */
type Flat<Union> = Union extends unknown ? { [Key in keyof Union]: Union[Key] } : never;

describe("each schema's output type equals the interface", () => {
  test('of orders', () => {
    expectTypeOf<z.output<typeof orderSchema>>().toEqualTypeOf<Order>();
    expectTypeOf<z.output<typeof createOrderSchema>>().toEqualTypeOf<CreateOrder>();
    expectTypeOf<z.output<typeof updateOrderSchema>>().toEqualTypeOf<UpdateOrder>();
    expectTypeOf<z.output<typeof listOrdersSchema>>().toEqualTypeOf<ListOrders>();
    expectTypeOf<z.output<typeof getOrderSchema>>().toEqualTypeOf<GetOrder>();
  });

  test('of notifications', () => {
    expectTypeOf<z.output<typeof notificationSchema>>().toEqualTypeOf<Notification>();
    expectTypeOf<z.output<typeof updateNotificationSchema>>().toEqualTypeOf<UpdateNotification>();
    expectTypeOf<z.output<typeof listNotificationsSchema>>().toEqualTypeOf<ListNotifications>();
  });

  test('of webhooks', () => {
    expectTypeOf<z.output<typeof webhookSchema>>().toEqualTypeOf<Webhook>();
    expectTypeOf<z.output<typeof createdWebhookSchema>>().toEqualTypeOf<CreatedWebhook>();
    expectTypeOf<z.output<typeof createWebhookSchema>>().toEqualTypeOf<CreateWebhook>();
    expectTypeOf<z.output<typeof webhookDetailsSchema>>().toEqualTypeOf<WebhookDetails>();
    expectTypeOf<z.output<typeof updateWebhookSchema>>().toEqualTypeOf<UpdateWebhook>();
    expectTypeOf<z.output<typeof stagedSecretSchema>>().toEqualTypeOf<StagedSecret>();
    expectTypeOf<z.output<typeof sendTestEventSchema>>().toEqualTypeOf<SendTestEvent>();
    expectTypeOf<z.output<typeof listWebhooksSchema>>().toEqualTypeOf<ListWebhooks>();
    expectTypeOf<z.output<typeof webhookStatsSchema>>().toEqualTypeOf<WebhookStats>();
    expectTypeOf<z.output<typeof getWebhookStatsSchema>>().toEqualTypeOf<GetWebhookStats>();
  });

  test('of deliveries', () => {
    expectTypeOf<z.output<typeof deliverySchema>>().toEqualTypeOf<Delivery>();
    expectTypeOf<z.output<typeof deliveryAttemptSchema>>().toEqualTypeOf<DeliveryAttempt>();
    expectTypeOf<z.output<typeof deliveryDetailsSchema>>().toEqualTypeOf<DeliveryDetails>();
    expectTypeOf<z.output<typeof listDeliveriesSchema>>().toEqualTypeOf<ListDeliveries>();
    expectTypeOf<z.output<typeof replayDeliveriesSchema>>().toEqualTypeOf<ReplayDeliveries>();
    expectTypeOf<z.output<typeof replayedDeliveriesResponseSchema>>().toEqualTypeOf<{
      data: ReplayedDeliveries;
    }>();
  });

  test('of events', () => {
    expectTypeOf<z.output<typeof orderCreatedSchema>>().toEqualTypeOf<OrderCreatedEvent>();
    expectTypeOf<
      z.output<typeof orderStatusChangedSchema>
    >().toEqualTypeOf<OrderStatusChangedEvent>();
    expectTypeOf<
      z.output<typeof taskApprovalRequestedSchema>
    >().toEqualTypeOf<TaskApprovalRequestedEvent>();
    expectTypeOf<z.output<typeof taskCompletedSchema>>().toEqualTypeOf<TaskCompletedEvent>();
    expectTypeOf<
      z.output<typeof listingAvailabilityLowSchema>
    >().toEqualTypeOf<ListingAvailabilityLowEvent>();
    expectTypeOf<z.output<typeof webhookDisabledSchema>>().toEqualTypeOf<WebhookDisabledEvent>();
    expectTypeOf<z.output<typeof webhookEventSchema>>().toEqualTypeOf<WebhookEvent>();
    expectTypeOf<z.output<typeof accountEventSchema>>().toEqualTypeOf<Flat<AccountEvent>>();
    expectTypeOf<z.output<typeof eventPageSchema>>().toExtend<EventPage>();
    expectTypeOf<EventPage>().toExtend<z.output<typeof eventPageSchema>>();
    expectTypeOf<z.output<typeof listEventsSchema>>().toEqualTypeOf<ListEvents>();
  });

  test('of accounts', () => {
    expectTypeOf<z.output<typeof accountSchema>>().toEqualTypeOf<Account>();
    expectTypeOf<z.output<typeof accountKeySchema>>().toEqualTypeOf<AccountKey>();
  });

  test('of problems and pages', () => {
    expectTypeOf<z.output<typeof problemSchema>>().toEqualTypeOf<Problem>();
    expectTypeOf<z.output<ReturnType<typeof pageSchema<typeof orderSchema>>>>().toEqualTypeOf<
      Page<Order>
    >();
  });
});

describe("each schema's input type accepts the interface", () => {
  test('of bodies', () => {
    expectTypeOf<CreateOrder>().toEqualTypeOf<z.input<typeof createOrderSchema>>();
    expectTypeOf<UpdateOrder>().toEqualTypeOf<z.input<typeof updateOrderSchema>>();
    expectTypeOf<UpdateNotification>().toEqualTypeOf<z.input<typeof updateNotificationSchema>>();
    expectTypeOf<CreateWebhook>().toEqualTypeOf<z.input<typeof createWebhookSchema>>();
    expectTypeOf<UpdateWebhook>().toEqualTypeOf<z.input<typeof updateWebhookSchema>>();
    expectTypeOf<SendTestEvent>().toEqualTypeOf<z.input<typeof sendTestEventSchema>>();
    expectTypeOf<ReplayDeliveries>().toExtend<z.input<typeof replayDeliveriesSchema>>();
  });

  test('of an absent body, where none is needed', () => {
    type Bodiless =
      | typeof contract.webhooks.stageSecret
      | typeof contract.webhooks.promoteSecret
      | typeof contract.deliveries.replay;
    type Body = ClientInferRequest<Bodiless>['body'];
    expectTypeOf<undefined>().toExtend<Body>();
    expectTypeOf<null>().toExtend<Body>();
    expectTypeOf<Record<never, never>>().toExtend<Body>();
    expectTypeOf<{ secret: string }>().not.toExtend<Body>();
  });

  test('of queries', () => {
    // Several values are sent as one text.
    expectTypeOf<
      Omit<ListOrders, 'status' | 'expand'> & { status?: string; expand?: string }
    >().toExtend<z.input<typeof listOrdersSchema>>();
    expectTypeOf<{ expand?: string }>().toExtend<z.input<typeof getOrderSchema>>();
    expectTypeOf<ListNotifications>().toExtend<z.input<typeof listNotificationsSchema>>();
    expectTypeOf<Omit<ListWebhooks, 'expand'> & { expand?: string }>().toExtend<
      z.input<typeof listWebhooksSchema>
    >();
    expectTypeOf<ListDeliveries>().toExtend<z.input<typeof listDeliveriesSchema>>();
    expectTypeOf<ListEvents>().toExtend<z.input<typeof listEventsSchema>>();
  });
});

test('events are discriminated by `event`, and have no `type`', () => {
  expectTypeOf<
    Extract<WebhookEvent, { event: 'order.status_changed' }>
  >().toEqualTypeOf<OrderStatusChangedEvent>();
  expectTypeOf<WebhookEvent>().not.toHaveProperty('type');
});

test('an account event is discriminated by `event`, and has an ID', () => {
  type Changed = Extract<AccountEvent, { event: 'order.status_changed' }>;
  expectTypeOf<Changed>().toExtend<OrderStatusChangedEvent>();
  expectTypeOf<Changed['id']>().toEqualTypeOf<string>();
});

test('an optional field is absent or has its type, and is never undefined', () => {
  expectTypeOf<{ status: undefined }>().not.toExtend<ListOrders>();
  expectTypeOf<{ status: undefined }>().not.toExtend<z.output<typeof listOrdersSchema>>();
});
