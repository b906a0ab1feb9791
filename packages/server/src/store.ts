import type { AccountStore } from './accounts/account-store';
import type { DeliveryLogStore } from './deliveries/delivery-log-store';
import type { DeliveryStore } from './deliveries/delivery-store';
import type { EventStore } from './events/event-store';
import type { ListingStore } from './listings/listing-store';
import type { NotificationStore } from './notifications/notification-store';
import type { OrderStore } from './orders/order-store';
import type { RetentionStore } from './retention/retention-store';
import type { WebhookStore } from './webhooks/webhook-store';

/** Everything the server keeps, by feature. One conformance suite holds every implementation. */
export interface Store {
  accounts: AccountStore;
  listings: ListingStore;
  orders: OrderStore;
  notifications: NotificationStore;
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  deliveryLog: DeliveryLogStore;
  events: EventStore;
  retention: RetentionStore;
  /** Runs `listener` after each commit that queued deliveries in this process, or made some due. */
  onDeliveriesQueued(listener: () => void): void;
  /** Runs `listener` after each commit that wrote events in this process, with the accounts that may see them. */
  onEvents(listener: (accountIds: string[]) => void): void;
  /**
   * Makes sure that the store can be used.
   *
   * @throws StoreUnavailableError when it cannot, such as when its file was deleted or replaced.
   */
  check(): Promise<void>;
  /** Lets go of the store's files and connections. */
  close(): Promise<void>;
}
