import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { Store } from '../../src/stores/store';
import type { Adjusted } from './history';
import type { SimulatedLocks } from './simulated-locks';

/** A pending delivery, as it is stored. */
export interface StoredDelivery extends Adjusted {
  eventId: string;
}

/** A queue, as it is stored. */
export interface StoredQueue {
  depth: number;
  inFlight: number;
  concurrencyLimit: number;
  failures: number;
  backoffUntil: number;
}

/** What the invariants read, besides what the port of the store returns. */
export interface StoredState {
  listPending(): Promise<StoredDelivery[]>;
  /** Lists the events whose deliveries failed. */
  listFailed(): Promise<string[]>;
  /** Lists all deliveries, with the number of their stored attempts. */
  listDeliveries(): Promise<{ eventId: string; state: DeliveryState; attempts: number }[]>;
  listQueues(): Promise<StoredQueue[]>;
  findQueue(webhookId: string): Promise<StoredQueue | undefined>;
}

/** The database of a simulation. */
export interface SimulatedDatabase {
  /** The store of the API, in a process of its own. */
  store: Store;
  state: StoredState;
  /** Whether calls of the store have real I/O. */
  hasRealIo: boolean;
  /** Opens the store of a worker. */
  openWorkerStore(): DeliveryStore;
  close(): Promise<void>;
}

/** Opens the empty database of a simulation. */
export type OpenDatabase = (locks: SimulatedLocks) => Promise<SimulatedDatabase>;
