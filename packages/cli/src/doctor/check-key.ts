import type { Account } from '@tradepost/sdk';
import { type Finding, failed, fine, untold } from './check';

const dayMs = 86_400_000;
const soonDays = 14;

/** Tells whose key it is that the service accepts. */
export function acceptedKey(account: Account | null): Finding {
  if (account === null) return fine('key', 'accepted; the service does not tell whose it is');
  // Services differ in how much they tell of an account.
  const told = [account.name, account.kind, account.id].filter(
    (field) => typeof field === 'string',
  );
  const rights = account.key?.readOnly ? ', it may only read' : '';
  return fine(
    'key',
    `accepted: ${told.join(', ') || 'the service does not tell whose it is'}${rights}`,
  );
}

/**
 * Checks how long the key still works.
 *
 * @param account null when the service does not tell
 * @param now milliseconds since 1970
 */
export function checkExpiry(account: Account | null, now: number): Finding {
  const told: string | null | undefined = account?.key?.expiresAt;
  if (told === undefined) return untold('key-expiry', 'the service does not tell');
  if (told === null) return fine('key-expiry', 'the key does not expire');
  const left = Date.parse(told) - now;
  if (Number.isNaN(left))
    return untold('key-expiry', `the service tells '${told}', which is no moment`);
  const hint = 'Ask for a new key in time, and store it with `tradepost login`.';
  if (left <= 0) return failed('key-expiry', 'auth', `expired at ${told}`, hint);
  const days = Math.floor(left / dayMs);
  const detail = `expires at ${told}, in ${days === 1 ? '1 day' : `${days} days`}`;
  return fine('key-expiry', detail, days < soonDays ? hint : null);
}
