import type { EventPosition, EventType, WebhookEvent } from '@tradepost/contract/wire';
import type {
  AccountKind,
  Delivery,
  DeliveryAttempt,
  Notification,
  Order,
  Webhook,
} from '../../index';
import type { MockClock } from './clock';

/** An account of a mock, with its API key. */
export interface MockAccount {
  /** `usr_<id>`. */
  id: string;
  /** The kind of the account, which limits what it may do. */
  kind: AccountKind;
  /** Display name. */
  name: string;
  /** When the account was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The API key of the account. */
  apiKey: string;
  /** Whether the API key allows read access only. */
  readOnly: boolean;
}

/** A listing of a mock. The API has no endpoint for listings. */
export interface MockListing {
  /** `lst_<id>`. */
  id: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** The agent account, `usr_<id>`. Null when no agent is assigned. */
  agentId: string | null;
  /** What it offers. Null if it has no title. */
  title: string | null;
  /** Units left to order. */
  availableQuantity: number;
  /** `listing.availability_low` is sent when fewer units than this are left. Null: never. */
  lowThreshold: number | null;
  /** When the listing was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** An account with the ID of its key. */
export interface AccountRecord extends MockAccount {
  keyId: string;
}

/** A listing, and whether its low quantity was reported and has not risen above the threshold since. */
export interface ListingRecord extends MockListing {
  lowStockNotified: boolean;
}

/** An order, its version, from which its ETag is derived, and the ID of its open task. */
export interface OrderRecord extends Order {
  version: number;
  openTaskId: string | null;
}

/** A notification of one account. */
export interface NotificationRecord extends Notification {
  accountId: string;
}

/** A webhook of one account. */
export interface WebhookRecord extends Webhook {
  accountId: string;
  secret: string;
  stagedSecret: string | null;
  stagedSecretAt: string | null;
  consecutiveFailures: number;
}

/** A delivery with its body and its attempts. */
export interface DeliveryRecord extends Delivery {
  body: string;
  attempts: DeliveryAttempt[];
  /** Where its event is; null for a test event. */
  position: EventPosition | null;
}

/** An event in the log, and the accounts that may see it. */
export interface EventRecord {
  id: string;
  /** The position in the log, from 1. */
  sequence: number;
  /** The order that it is about, or that caused it. */
  orderId: string;
  body: WebhookEvent;
  recipients: readonly string[];
}

/** Something that happened: the envelope without its time, and whom it concerns. */
export interface Happening {
  event: EventType;
  data: WebhookEvent['data'];
  /** The order that it is about, or that caused it. */
  orderId: string;
  /** Accounts that are notified. Null for a missing agent. */
  recipients: readonly (string | null)[];
  /** The text of the notification. */
  message: string;
}

/** How long a delivery is retried after its event. Source: API specification, "Retries". */
export const retryWindowMs = 24 * 60 * 60 * 1_000;

/** Everything that a mock stores. Its clients share it. */
export class Market {
  readonly clock: MockClock;
  readonly accounts: AccountRecord[] = [];
  readonly listings: ListingRecord[] = [];
  readonly orders: OrderRecord[] = [];
  readonly notifications: NotificationRecord[] = [];
  readonly webhooks: WebhookRecord[] = [];
  readonly deliveries: DeliveryRecord[] = [];
  readonly events: EventRecord[] = [];
  /** The latest time that a list by time has returned. A later change gets a later one, also while the clock stands still. */
  polledUntil = Number.NEGATIVE_INFINITY;
  /** Called after each event. Requests that wait for events use it. */
  readonly eventListeners = new Set<() => void>();

  /** The secret of every webhook; null for one of its own each. */
  readonly webhookSecret: string | null;

  constructor(clock: MockClock, webhookSecret: string | null) {
    this.clock = clock;
    this.webhookSecret = webhookSecret;
  }

  /** Writes down an event: in the log, and as a notification and as deliveries for its recipients. */
  record({ event, data, orderId, recipients: parties, message }: Happening): void {
    const { clock } = this;
    const createdAt = clock.timestamp();
    const recipients = [...new Set(parties.filter((id) => id !== null))];
    // TypeScript cannot infer that type and data belong together.
    const body = { event, createdAt, data } as WebhookEvent;
    const id = clock.newId('evt');
    const sequence = this.events.length + 1;
    const order = 'orderId' in data ? this.orders.find((one) => one.id === orderId) : undefined;
    const position = { sequence, orderVersion: order?.version ?? null };
    this.events.push({ id, sequence, orderId, body, recipients });
    for (const accountId of recipients) {
      this.notifications.push({
        id: clock.newId('ntf'),
        type: event.replace('.', '_') as Notification['type'],
        orderId,
        message,
        read: false,
        createdAt,
        accountId,
      });
      for (const webhook of this.webhooks) {
        if (webhook.accountId === accountId && webhook.events.includes(event)) {
          this.queueDelivery(webhook, id, body, position);
        }
      }
    }
    for (const notify of [...this.eventListeners]) notify();
  }

  /** Notes the time of an order that a list by time returned. */
  notePolled(time: string): void {
    this.polledUntil = Math.max(this.polledUntil, Date.parse(time));
  }

  /** Returns the time of a change: ISO 8601, UTC, with milliseconds. */
  changeTime(): string {
    return this.clock.timestamp(Math.max(0, this.polledUntil + 1 - this.clock.now()));
  }

  /** Queues the delivery of an event to a webhook; without a position, it is a test event. */
  queueDelivery(
    { id: webhookId }: WebhookRecord,
    eventId: string,
    event: WebhookEvent,
    position: EventPosition | null,
  ): DeliveryRecord {
    const now = this.clock.timestamp();
    const delivery: DeliveryRecord = {
      id: this.clock.newId('dlv'),
      webhookId,
      eventId,
      event: event.event,
      state: 'pending',
      test: position === null,
      attemptCount: 0,
      lastStatus: null,
      lastError: null,
      nextAttemptAt: now,
      deadlineAt: this.clock.timestamp(retryWindowMs),
      createdAt: now,
      finishedAt: null,
      body: JSON.stringify(event),
      attempts: [],
      position,
    };
    this.deliveries.push(delivery);
    return delivery;
  }
}
