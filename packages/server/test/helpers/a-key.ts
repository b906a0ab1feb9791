import { aContext, anAccount } from '@tradepost/domain/test/builders';
import { type IssuedKey, issueKey } from '../../src/kernel/api-key';

/** An issued key; by default it may write and does not expire. */
export function aKey(overrides: Partial<Parameters<typeof issueKey>[0]> = {}): IssuedKey {
  const key = { accountId: anAccount().id, readOnly: false, expiresAt: null, ...overrides };
  return issueKey(key, aContext());
}
