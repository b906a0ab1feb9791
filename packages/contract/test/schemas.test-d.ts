import { describe, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type {
  CreatedWebhook,
  CreateOrder,
  CreateWebhook,
  createdWebhookSchema,
  createOrderSchema,
  createWebhookSchema,
  ListingAvailabilityLowEvent,
  ListNotifications,
  ListOrders,
  listingAvailabilityLowSchema,
  listNotificationsSchema,
  listOrdersSchema,
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
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  taskApprovalRequestedSchema,
  taskCompletedSchema,
  UpdateNotification,
  UpdateOrder,
  updateNotificationSchema,
  updateOrderSchema,
  Webhook,
  WebhookEvent,
  webhookEventSchema,
  webhookSchema,
} from '../src/index';

describe('what a schema gives is what the interface promises, no more and no less', () => {
  test('of orders', () => {
    expectTypeOf<z.output<typeof orderSchema>>().toEqualTypeOf<Order>();
    expectTypeOf<z.output<typeof createOrderSchema>>().toEqualTypeOf<CreateOrder>();
    expectTypeOf<z.output<typeof updateOrderSchema>>().toEqualTypeOf<UpdateOrder>();
    expectTypeOf<z.output<typeof listOrdersSchema>>().toEqualTypeOf<ListOrders>();
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
    expectTypeOf<z.output<typeof webhookEventSchema>>().toEqualTypeOf<WebhookEvent>();
  });

  test('of problems and pages', () => {
    expectTypeOf<z.output<typeof problemSchema>>().toEqualTypeOf<Problem>();
    expectTypeOf<z.output<ReturnType<typeof pageSchema<typeof orderSchema>>>>().toEqualTypeOf<
      Page<Order>
    >();
  });
});

describe('what a client has can be sent as it is', () => {
  test('bodies', () => {
    expectTypeOf<CreateOrder>().toEqualTypeOf<z.input<typeof createOrderSchema>>();
    expectTypeOf<UpdateOrder>().toEqualTypeOf<z.input<typeof updateOrderSchema>>();
    expectTypeOf<UpdateNotification>().toEqualTypeOf<z.input<typeof updateNotificationSchema>>();
    expectTypeOf<CreateWebhook>().toEqualTypeOf<z.input<typeof createWebhookSchema>>();
  });

  test('queries', () => {
    expectTypeOf<ListOrders>().toExtend<z.input<typeof listOrdersSchema>>();
    expectTypeOf<ListNotifications>().toExtend<z.input<typeof listNotificationsSchema>>();
  });
});

test('`event` tells the events apart, and there is no `type`', () => {
  expectTypeOf<
    Extract<WebhookEvent, { event: 'order.status_changed' }>
  >().toEqualTypeOf<OrderStatusChangedEvent>();
  expectTypeOf<WebhookEvent>().not.toHaveProperty('type');
});

test('an optional field is absent or has its type, and is never undefined', () => {
  expectTypeOf<{ status: undefined }>().not.toExtend<ListOrders>();
  expectTypeOf<{ status: undefined }>().not.toExtend<z.output<typeof listOrdersSchema>>();
});
