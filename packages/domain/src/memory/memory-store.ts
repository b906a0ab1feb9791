import type { AccountStore } from '../accounts/account';
import type { SignInStore } from '../accounts/sign-in';
import type { AuditStore } from '../audit/audit-log';
import type { DeliveryLogStore, DeliveryStore } from '../deliveries/delivery-store';
import type { EventStore } from '../events/event-log';
import type { ListingStore } from '../listings/listing';
import type { NotificationStore } from '../notifications/notification';
import type { OrderStore } from '../orders/order-store';
import type { TimelineStore } from '../orders/order-timeline';
import type { PartnerStore } from '../partners/partner';
import type { RetentionStore } from '../retention/retention-store';
import type { SummaryStore } from '../summary/summary';
import type { WebhookStore } from '../webhooks/webhook-store';
import {
  createMemoryAccountStore,
  createMemoryAuditStore,
  createMemoryListingStore,
  createMemoryNotificationStore,
  createMemoryPartnerStore,
} from './memory-accounts';
import { MemoryData } from './memory-data';
import { createMemoryDeliveryLogStore, createMemoryDeliveryStore } from './memory-deliveries';
import { createMemoryEventStore, createMemoryOrderStore } from './memory-orders';
import { createMemorySummaryStore, createMemoryTimelineStore } from './memory-overviews';
import { createMemoryRetentionStore } from './memory-retention';
import { createMemorySignInStore } from './memory-sign-ins';
import { createMemoryWebhookStore } from './memory-webhooks';

/** A store in memory, for the mock of the SDK and for tests. Each of its methods is one change, which runs at once. */
export interface MemoryStore {
  /** What it stores, for what prepares it and looks into it: the mock and tests. */
  data: MemoryData;
  accounts: AccountStore;
  signIns: SignInStore;
  listings: ListingStore;
  orders: OrderStore;
  notifications: NotificationStore;
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  deliveryLog: DeliveryLogStore;
  events: EventStore;
  partners: PartnerStore;
  timelines: TimelineStore;
  summaries: SummaryStore;
  retention: RetentionStore;
  audit: AuditStore;
  /** Runs `listener` after each change that queued deliveries or made some due. */
  onDeliveriesQueued(listener: () => void): void;
  /** Runs `listener` after each change that wrote events, with the accounts that may see them. */
  onEvents(listener: (accountIds: string[]) => void): void;
  /** Ends its workers. What it stores stays. */
  close(): Promise<void>;
}

/** Creates an empty store in memory. */
export function createMemoryStore(): MemoryStore {
  const data = new MemoryData();
  const deliveries = createMemoryDeliveryStore(data);
  return {
    data,
    accounts: createMemoryAccountStore(data),
    signIns: createMemorySignInStore(data),
    listings: createMemoryListingStore(data),
    orders: createMemoryOrderStore(data),
    notifications: createMemoryNotificationStore(data),
    webhooks: createMemoryWebhookStore(data),
    deliveries,
    deliveryLog: createMemoryDeliveryLogStore(data),
    events: createMemoryEventStore(data),
    partners: createMemoryPartnerStore(data),
    timelines: createMemoryTimelineStore(data),
    summaries: createMemorySummaryStore(data),
    retention: createMemoryRetentionStore(data),
    audit: createMemoryAuditStore(data),
    onDeliveriesQueued: (listener) => data.announcements.onDeliveriesQueued(listener),
    onEvents: (listener) => data.announcements.onEvents(listener),
    close: async () => deliveries.close(),
  };
}
