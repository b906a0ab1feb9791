import type { AccountStore } from '@tradepost/domain/accounts/account';
import type { ErasureStore } from '@tradepost/domain/accounts/erasure';
import type { SignInStore } from '@tradepost/domain/accounts/sign-in';
import type { AuditStore } from '@tradepost/domain/audit/audit-log';
import type { DeliveryLogStore, DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { EventStore } from '@tradepost/domain/events/event-log';
import type { Clock } from '@tradepost/domain/kernel/context';
import type { ListingStore } from '@tradepost/domain/listings/listing';
import type { NotificationStore } from '@tradepost/domain/notifications/notification';
import type { OrderStore } from '@tradepost/domain/orders/order-store';
import type { TimelineStore } from '@tradepost/domain/orders/order-timeline';
import type { PartnerStore } from '@tradepost/domain/partners/partner';
import type { RetentionStore } from '@tradepost/domain/retention/retention-store';
import type { SummaryStore } from '@tradepost/domain/summary/summary';
import type { WebhookStore } from '@tradepost/domain/webhooks/webhook-store';

/** Re-encrypts endpoint secrets, and the stored responses that show them. */
export interface SecretStore {
  /** Returns the IDs of the secret keys that are in use; null among them stands for secrets in plain text. */
  listKeyIds(): Promise<(string | null)[]>;
  /**
   * Encrypts the secrets of up to `limit` webhooks with the first secret key, those that are not yet. One short transaction.
   *
   * @param request.after The `next` of the previous step; null to start.
   */
  rotate(request: { after: string | null; limit: number }): Promise<RotatedSecrets>;
}

/** The result of a step of `SecretStore.rotate`. */
export interface RotatedSecrets {
  /** How many secrets and stored responses were encrypted. */
  rotated: number;
  /** The webhooks with a secret or a stored response that cannot be decrypted; it stays as it is. */
  unreadable: string[];
  /** Where the next step continues; null at the end. */
  next: string | null;
}

/** Follows changes from their requests to their commits. */
export interface ChangeTracer {
  /** Called when a change is requested. Returns null if it is not part of a traced request. */
  startChange(): ChangeTrace | null;
  /**
   * Called when a transaction starts in which there are traced changes.
   *
   * @param system The database, as OpenTelemetry names it.
   */
  startTransaction(system: string, changes: readonly ChangeTrace[]): TransactionTrace;
}

/** The trace of one change, from its request until it is settled. */
export interface ChangeTrace {
  /** What is stored with the deliveries that the change queues: `traceparent`, and `tracestate` after a space. */
  readonly context: string;
  /** Called once, with the error of a change that was rejected. */
  end(error?: unknown): void;
}

/** The trace of one transaction. */
export interface TransactionTrace {
  /**
   * Called once.
   *
   * @param changes How many changes it committed, traced or not.
   */
  end(changes: number, error?: unknown): void;
}

/** Why a transaction ran again: what the database reported, another change that was first, or a connection that broke. */
export type RetryReason = 'serialization' | 'deadlock' | 'conflict' | 'connection';

/** A database server. */
export interface DatabaseServer {
  /** Its host and port, as the URL of the database has them. */
  host: string;
  /** Which history of the database it has: each failover starts a higher one. */
  timeline: number;
}

/** How a store uses its connections to a database server. */
export interface ConnectionStatus {
  /** How many may be open. */
  max: number;
  /** Open connections that nothing uses. */
  idle: number;
  /** Connections that changes and reads use, or that are being opened for them. */
  inUse: number;
  /** Changes and reads that wait because all connections are in use. */
  waiting: number;
  /** How often a transaction ran again, since the store was opened. */
  retries: Readonly<Record<RetryReason, number>>;
  /** Where the latest connection leads; null if that is unknown. */
  server: DatabaseServer | null;
}

/** Everything that the server stores, by feature. All implementations pass one conformance suite. */
export interface Store {
  /** The clock of the database, if several hosts use it: their own clocks may differ. */
  clock?: Clock;
  /** The version of the database schema that this program was made for. */
  schemaVersion: number;
  /** Whether other hosts may use it, too, so that an outage is not a fault of one process. */
  isShared?: boolean;
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
  secrets: SecretStore;
  audit: AuditStore;
  erasure: ErasureStore;
  /** Runs `listener` after each commit in this process that queued deliveries or made some due. */
  onDeliveriesQueued(listener: () => void): void;
  /** Runs `listener` after each commit in this process that wrote events, with the accounts that may see them. */
  onEvents(listener: (accountIds: string[]) => void): void;
  /** From now on, changes are traced, and the deliveries that they queue store the trace context. By default none is. */
  traceChanges(tracer: ChangeTracer): void;
  /** Returns for how long the oldest pending change of this process has waited, in milliseconds; 0 if none waits. */
  getWriteDelay(): number;
  /** Returns how this process uses its connections, if they are to a database server. */
  getConnectionStatus?(): ConnectionStatus;
  /**
   * Checks that the store can be used.
   *
   * @throws StoreUnavailableError if it cannot, for example because its file was deleted or replaced.
   */
  check(): Promise<void>;
  /**
   * Checks that changes can be committed, by committing one that changes nothing. Costs about as much as a small change.
   *
   * @throws StoreFullError if there is too little space for changes.
   * @throws StoreUnavailableError if not for another reason, for example because another process has the lock.
   */
  checkWritable(): Promise<void>;
  /** Closes the store's files and connections. */
  close(): Promise<void>;
}
