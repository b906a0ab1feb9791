import { initContract } from '@ts-rest/core';
import { accountEndpoints } from './accounts/account-endpoints';
import { keyEndpoints, sessionEndpoints, signInCodeEndpoints } from './accounts/key-endpoints';
import { deliveryEndpoints } from './deliveries/delivery-endpoints';
import { eventEndpoints } from './events/event-endpoints';
import { notificationEndpoints } from './notifications/notification-endpoints';
import { orderEndpoints } from './orders/order-endpoints';
import { partnerEndpoints } from './partners/partner-endpoints';
import { summaryEndpoints } from './summary/summary-endpoints';
import { webhookEndpoints } from './webhooks/webhook-endpoints';

/**
 * The whole service as one ts-rest contract. The server implements it, the SDK is type-checked against it,
 * and the OpenAPI document is generated from it.
 */
export const contract = initContract().router(
  {
    orders: orderEndpoints,
    notifications: notificationEndpoints,
    webhooks: webhookEndpoints,
    deliveries: deliveryEndpoints,
    events: eventEndpoints,
    partners: partnerEndpoints,
    account: accountEndpoints,
    summary: summaryEndpoints,
    keys: keyEndpoints,
    signInCodes: signInCodeEndpoints,
    sessions: sessionEndpoints,
  },
  { strictStatusCodes: true },
);
