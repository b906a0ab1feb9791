import { initContract } from '@ts-rest/core';
import { notificationEndpoints } from './notifications/notification-endpoints';
import { orderEndpoints } from './orders/order-endpoints';
import { webhookEndpoints } from './webhooks/webhook-endpoints';

/**
 * The whole service as one ts-rest contract: what the server serves, what the SDK is held to, what
 * the OpenAPI document is generated from.
 */
export const contract = initContract().router(
  {
    orders: orderEndpoints,
    notifications: notificationEndpoints,
    webhooks: webhookEndpoints,
  },
  { strictStatusCodes: true },
);
