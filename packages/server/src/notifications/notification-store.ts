import type { Position } from '../position';
import type { Notification } from './notification';

/** Where notifications are kept. They are written by the changes that they tell of. */
export interface NotificationStore {
  /** An account's notifications, newest first, from `after` on, `limit` at most. */
  listNotifications(
    accountId: string,
    filter: { read?: boolean },
    page: { after: Position | null; limit: number },
  ): Promise<Notification[]>;
  /** Marks an account's notification read. Answers it as it now is, or null if the account has no such one. */
  markRead(accountId: string, id: string): Promise<Notification | null>;
}
