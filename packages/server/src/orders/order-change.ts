import type { DomainEvent } from '../events/domain-event';
import type { Listing } from '../listings/listing';
import type { Task } from '../tasks/task';
import type { Order } from './order';

/** An order with all that a decision about it depends on. */
export interface OrderSituation {
  order: Order;
  listing: Listing;
  /** The order's open task; null when it has none. */
  task: Task | null;
}

/** What a decision comes to: everything that is to be written in one transaction. */
export interface OrderChange {
  order: Order;
  listing: Listing;
  /** A task that was opened or completed; null when none was. */
  task: Task | null;
  /** What happened, in this order. */
  events: DomainEvent[];
}
