import type { Account } from '@tradepost/domain/accounts/account';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { aContext, noon } from '@tradepost/domain/test/builders';
import type { Store } from '../../src/stores/store';

/** Changes an account. `change` may throw to reject. */
export function changeAccount(
  { accounts }: Store,
  id: string,
  change: (found: Account) => Account,
  now = noon,
): Promise<Account> {
  return accounts.changeAccount({ id, context: aContext(now) }, (found) => {
    if (found === null) throw missingRecord('Account', id);
    return { account: change(found), audit: null };
  });
}
