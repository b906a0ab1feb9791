import { changeSettings, type SettingBounds, type SettingChanges } from './account-settings';

/** What an operator limits of one account. Null stands for the default. */
export interface AccountLimits {
  /** How many requests all of its keys and sessions together may make in a minute, in each process that serves the API. */
  requestsPerMinute: number | null;
  /** How many webhooks it may have. Those that it has beyond a lower limit stay. */
  maxWebhooks: number | null;
  /** How many pending deliveries its webhooks may have together. Those beyond fail at once, and can be replayed. */
  maxOpenDeliveries: number | null;
}

/** The limits of an account of which no operator has changed any. */
export const defaultLimits: AccountLimits = {
  requestsPerMinute: null,
  maxWebhooks: null,
  maxOpenDeliveries: null,
};

/** The lowest and the highest value of each limit. */
export const limitBounds = {
  requestsPerMinute: { min: 1, max: 100_000_000 },
  // Each event is sent to all of them, in the transaction that causes it.
  maxWebhooks: { min: 0, max: 1_000 },
  maxOpenDeliveries: { min: 1, max: 1_000_000_000 },
} as const satisfies SettingBounds<keyof AccountLimits>;

/** How many times the limit of one key an account gets by default. */
export const keysPerAccountLimit = 5;

/** Changes limits of an account. Those that are not named stay. Returns what it changed too, which may be nothing. */
export function changeLimits<Limited extends AccountLimits>(
  account: Limited,
  limits: Partial<AccountLimits>,
): { account: Limited; changes: SettingChanges<keyof AccountLimits> } {
  return changeSettings(account, limitBounds, limits);
}
