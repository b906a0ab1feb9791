import { changeSettings, type SettingBounds, type SettingChanges } from './account-settings';

/**
 * For how many days data of one account is kept. Null stands for the time of the server, and so does any time that is longer: what
 * counts is the shorter of both.
 */
export interface AccountRetention {
  /** Finished deliveries to its webhooks and their attempts, after they finished. */
  keepDeliveries: number | null;
  /** Its read notifications, after they were created. */
  keepNotifications: number | null;
  /** Its unread notifications, after they were created. Null if `keepNotifications` is, and otherwise null or not less than that. */
  keepUnreadNotifications: number | null;
}

/** The times of an account of which no operator has changed any. */
export const defaultAccountRetention: AccountRetention = {
  keepDeliveries: null,
  keepNotifications: null,
  keepUnreadNotifications: null,
};

const maxDays = 3_650;

/** The lowest and the highest number of days, of accounts as of the server. */
export const retentionBounds = {
  // Longer than deliveries are retried.
  keepDeliveries: { min: 2, max: maxDays },
  keepNotifications: { min: 1, max: maxDays },
  keepUnreadNotifications: { min: 1, max: maxDays },
} as const satisfies SettingBounds<keyof AccountRetention>;

/**
 * Changes how long data of an account is kept. Times that are not named stay. Returns what it changed too, which may be nothing.
 *
 * Unread notifications must not be removed before read ones, whatever the times of the server are. Since those follow the same rule,
 * and the shorter of two times counts, it is enough that the own times of the account follow it.
 *
 * @throws RangeError if they would not. The message says what to do.
 */
export function changeRetention<Kept extends AccountRetention>(
  account: Kept,
  times: Partial<AccountRetention>,
): { account: Kept; changes: SettingChanges<keyof AccountRetention> } {
  const changed = changeSettings(account, retentionBounds, times);
  const { keepNotifications: read, keepUnreadNotifications: unread } = changed.account;
  if (unread !== null && (read === null || read > unread)) {
    const readTime = read === null ? 'for as long as the server keeps them' : `for ${read} days`;
    throw new RangeError(
      `Unread notifications would be kept for ${unread} days, and read ones ${readTime}. Keep read ones for ${unread} days at most, or reset the time of unread ones to the default.`,
    );
  }
  return changed;
}
