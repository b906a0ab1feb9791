import type { AccountStore } from './accounts/account-store';
import type { DeliveryStore } from './deliveries/delivery-store';
import type { ListingStore } from './listings/listing-store';
import type { NotificationStore } from './notifications/notification-store';
import type { OrderStore } from './orders/order-store';
import type { WebhookStore } from './webhooks/webhook-store';

/** Everything the server keeps, by feature. One conformance suite holds every implementation. */
export interface Store {
  accounts: AccountStore;
  listings: ListingStore;
  orders: OrderStore;
  notifications: NotificationStore;
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  /** Runs `listener` after each commit that queued deliveries in this process. */
  onDeliveriesQueued(listener: () => void): void;
  /** Lets go of the store's files and connections. */
  close(): Promise<void>;
}
