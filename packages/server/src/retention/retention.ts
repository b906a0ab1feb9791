/** How many days things are kept that nobody has to keep for ever. */
export interface Retention {
  /** Deliveries that ended, with their attempts, after their end; 2 at least, longer than they are tried. */
  deliveries: number;
  /** Events after they happened, and for as long as a delivery or a notification is about them. */
  events: number;
  /** Notifications that were read, after they were created. */
  notifications: number;
  /** Notifications that were never read, after they were created; no fewer than `notifications`. */
  unreadNotifications: number;
}

/** How long things are kept by default. */
export const defaultRetention: Retention = {
  deliveries: 30,
  events: 30,
  notifications: 90,
  unreadNotifications: 180,
};

/**
 * Completes a retention with the defaults. Unread notifications are by default kept for 180 days, or for as long as
 * read ones where that is longer.
 *
 * @throws RangeError when unread notifications would be removed sooner than read ones.
 */
export function resolveRetention(given: Partial<Retention> = {}): Retention {
  const { notifications = defaultRetention.notifications } = given;
  const {
    deliveries = defaultRetention.deliveries,
    events = defaultRetention.events,
    unreadNotifications = Math.max(defaultRetention.unreadNotifications, notifications),
  } = given;
  if (unreadNotifications < notifications) {
    throw new RangeError(
      `retention.unreadNotifications (${unreadNotifications} days) must not be shorter than retention.notifications (${notifications} days).`,
    );
  }
  return { deliveries, events, notifications, unreadNotifications };
}
