import type { Account } from '@tradepost/domain/accounts/account';
import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import type { SettingChanges } from '@tradepost/domain/accounts/account-settings';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import type { Store } from '../stores/store';
import { requireAccount } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { withExistingStore, withStoreToRead } from './with-store';

/** What a command shows and changes of an account. */
interface Settings<Name extends string> {
  /** The account. */
  id: string;
  database: string;
  /** The values of the options; undefined for those that were not given. */
  given: Record<Name, number | 'default' | undefined>;
  /** Of the entry in the audit log. */
  action: Parameters<typeof auditAccount>[1];
}

/** Returns the settings that the options name, with null for the default. */
function readGiven<Name extends string>(
  given: Settings<Name>['given'],
): Partial<Record<Name, number | null>> {
  const named = Object.entries<number | 'default' | undefined>(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value === 'default' ? null : value]);
  return Object.fromEntries(named);
}

/**
 * Changes the settings of an account that are given, with an entry of the audit log unless nothing changes. Returns what `show` makes
 * of the account. Without given settings it only reads.
 *
 * @param change The rule. May throw to reject.
 * @throws OperatorError if the account does not exist.
 */
export async function withSettings<Name extends string, Shown>(
  { id, database, given, action }: Settings<Name>,
  change: (
    found: Account,
    settings: Partial<Record<Name, number | null>>,
  ) => { account: Account; changes: SettingChanges<Name> },
  show: (store: Store, account: Account) => Shown | Promise<Shown>,
): Promise<Shown> {
  const settings = readGiven(given);
  const isChange = Object.keys(settings).length > 0;
  const run = isChange ? withExistingStore : withStoreToRead;
  return await run(database, async (store) => {
    const before = await requireAccount(store, id, database);
    if (!isChange) return await show(store, before);
    const context = createCommandContext();
    const changed = await store.accounts.changeAccount({ id, context }, (found) => {
      if (found === null) throw missingRecord('Account', id);
      const { account, changes } = change(found, settings);
      if (Object.keys(changes).length === 0) return { account, audit: null };
      return { account, audit: auditAccount(getOperator(), action, account, changes, context) };
    });
    return await show(store, changed);
  });
}
