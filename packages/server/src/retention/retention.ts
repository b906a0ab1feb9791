/** How many days things are kept that nobody has to keep for ever. */
export interface Retention {
  /** Deliveries that ended, with their attempts, after their end; 2 at least, longer than they are tried. */
  deliveries: number;
  /** Events after they happened, and for as long as a delivery or a notification is about them. */
  events: number;
  /** Notifications that were read, after they were made. Those that were not are kept. */
  notifications: number;
}

/** What is kept unless told otherwise. */
export const defaultRetention: Retention = { deliveries: 30, events: 30, notifications: 90 };
