import type {
  EventType,
  OrderStatus,
  TimelineAttempt,
  TimelineNotification,
} from '@tradepost/contract/wire';
import type { Other } from '../unrecognized';
import type { Delivery } from './deliveries';
import type { EventActor } from './events';

/** A change of an order's status. */
export interface TimelineChange {
  /** The status before. Null for the creation of the order. */
  from: OrderStatus | Other | null;
  /** The status after. */
  to: OrderStatus | Other;
  /** Why the order was changed, as the request gave it. Null if it gave none. */
  reason: string | null;
  /** The account that made the change. Null if that is not known, as of changes from before the service stored it. */
  actor: EventActor | null;
}

/** An event of an order, without its data. */
export interface TimelineEvent {
  /** `evt_<id>`. */
  id: string;
  /** Its type. The service may add types. */
  type: EventType | Other;
  /** When it happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** A delivery to a webhook of the account, with its last attempts. */
export interface TimelineDelivery extends Delivery {
  /** The last attempts, oldest first, 10 at most. `attemptCount` counts all. */
  attempts: TimelineAttempt[];
}

/** One event of an order, what caused it, and what it caused for the account. */
export interface TimelineEntry {
  /** The change of status that the event reports. Null if it reports none, as events of tasks and listings. */
  change: TimelineChange | null;
  /** The event. */
  event: TimelineEvent;
  /** The account's own notification. Null if it is no longer stored. */
  notification: TimelineNotification | null;
  /** The deliveries to webhooks of the account that are not deleted, one for each that subscribed to the event. */
  deliveries: TimelineDelivery[];
}

/** What happened to an order, as far as the account may see it. */
export interface OrderTimeline {
  /** One for each event, oldest first, 100 at most: the last ones. */
  entries: TimelineEntry[];
  /** Events from before this time may no longer be stored. Null if the timeline is complete. */
  prunedBefore: string | null;
}
