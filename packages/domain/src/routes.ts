import type { contract } from '@tradepost/contract';
import type { AccountStore } from './accounts/account';
import { accountRoutes } from './accounts/account-routes';
import type { Tokens } from './accounts/key';
import { keyRoutes } from './accounts/key-routes';
import type { SignInStore } from './accounts/sign-in';
import { signInRoutes } from './accounts/sign-in-routes';
import { deliveryRoutes, replayRoutes } from './deliveries/delivery-routes';
import type { DeliveryLogStore } from './deliveries/delivery-store';
import { testEventRoutes } from './deliveries/test-event-routes';
import type { LongPollRegistry } from './events/announcements';
import type { EventStore } from './events/event-log';
import { eventRoutes } from './events/event-routes';
import type { Clock, IdGenerator } from './kernel/context';
import type { NotificationStore } from './notifications/notification';
import { notificationRoutes } from './notifications/notification-routes';
import { orderRoutes } from './orders/order-routes';
import type { OrderStore } from './orders/order-store';
import type { TimelineStore } from './orders/order-timeline';
import type { PartnerStore } from './partners/partner';
import { partnerRoutes } from './partners/partner-routes';
import type { RouteHandlers } from './route-handlers';
import type { SummaryStore } from './summary/summary';
import { summaryRoutes } from './summary/summary-routes';
import type { WebhookPolicy } from './webhooks/webhook-policy';
import { webhookRoutes } from './webhooks/webhook-routes';
import type { WebhookStore } from './webhooks/webhook-store';

/** What the handlers of the contract need. */
export interface RouteDependencies {
  store: {
    accounts: AccountStore;
    signIns: SignInStore;
    orders: OrderStore;
    notifications: NotificationStore;
    webhooks: WebhookStore;
    deliveryLog: DeliveryLogStore;
    events: EventStore;
    partners: PartnerStore;
    timelines: TimelineStore;
    summaries: SummaryStore;
  };
  clock: Clock;
  newId: IdGenerator;
  webhookPolicy: WebhookPolicy;
  longPolls: LongPollRegistry;
  tokens: Tokens;
  /** Creates the secret of an endpoint. @default a random one */
  createSecret?: (() => string) | undefined;
}

/** Creates the handlers of all routes of the contract. */
export function createRoutes(dependencies: RouteDependencies): {
  [Name in keyof typeof contract]: RouteHandlers<(typeof contract)[Name]>;
} {
  const { store, clock, newId, webhookPolicy, longPolls, tokens, createSecret } = dependencies;
  return {
    orders: orderRoutes(store.orders, store.timelines, clock, newId),
    notifications: notificationRoutes(store.notifications, clock, newId),
    webhooks: {
      ...webhookRoutes(store.webhooks, webhookPolicy, clock, newId, createSecret),
      ...testEventRoutes(store.deliveryLog, clock, newId),
      ...replayRoutes(store, clock, newId),
    },
    deliveries: deliveryRoutes(store.deliveryLog, clock, newId),
    events: eventRoutes(store.events, longPolls, clock),
    partners: partnerRoutes(store.partners),
    account: accountRoutes(store.accounts),
    summary: summaryRoutes(store.summaries, clock),
    keys: keyRoutes(store.accounts, tokens, clock, newId),
    ...signInRoutes(store.signIns, tokens, clock, newId),
  };
}
