/** How many days data is kept. */
export interface Retention {
  /** Finished deliveries and their attempts, after they finished; at least 2, which is longer than they are retried. */
  deliveries: number;
  /** Events after they happened, and as long as a delivery or a notification refers to them. */
  events: number;
  /** Read notifications, after they were created. */
  notifications: number;
  /** Unread notifications, after they were created; not less than `notifications`. */
  unreadNotifications: number;
  /** Entries of the audit log, after they were written. */
  auditLog: number;
}

/** How long data is kept by default. */
export const defaultRetention: Retention = {
  deliveries: 30,
  events: 30,
  notifications: 90,
  unreadNotifications: 180,
  auditLog: 400,
};

/**
 * Fills in the defaults. Unread notifications are kept for 180 days by default, or as long as read ones if that is longer.
 *
 * @throws RangeError if unread notifications would be removed before read ones.
 */
export function resolveRetention(options: Partial<Retention> = {}): Retention {
  const { notifications = defaultRetention.notifications } = options;
  const {
    deliveries = defaultRetention.deliveries,
    events = defaultRetention.events,
    auditLog = defaultRetention.auditLog,
    unreadNotifications = Math.max(defaultRetention.unreadNotifications, notifications),
  } = options;
  if (unreadNotifications < notifications) {
    throw new RangeError(
      `retention.unreadNotifications (${unreadNotifications} days) must not be shorter than retention.notifications (${notifications} days).`,
    );
  }
  return { deliveries, events, notifications, unreadNotifications, auditLog };
}
