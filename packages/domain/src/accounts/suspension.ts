import type { Account } from './account';

/**
 * Suspends an account: its keys are refused and its deliveries held. One that is suspended already keeps its time, and its reason
 * unless there is a new one.
 *
 * @param reason Why, for operators; null if it is not to be stored.
 * @param now Milliseconds since 1970.
 */
export function suspendAccount(account: Account, reason: string | null, now: number): Account {
  const { suspendedAt, suspensionReason } = account;
  return {
    ...account,
    suspendedAt: suspendedAt ?? now,
    suspensionReason: reason ?? suspensionReason,
  };
}

/** Ends the suspension of an account. One that is being erased stays suspended: see `beginErasure`. */
export function resumeAccount(account: Account): Account {
  return { ...account, suspendedAt: null, suspensionReason: null };
}
