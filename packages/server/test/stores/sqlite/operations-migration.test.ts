import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import { aContext, anAccount, noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';
import { makeFirstSchema } from './migrations';

test('accounts of the first schema are not suspended and have no limits or retention of their own, and the audit log is empty', async () => {
  const file = tempFile();
  makeFirstSchema(file);
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  expect(await store.accounts.listAccounts()).toEqual([anAccount({ id: 'usr_1', name: 'Buyer' })]);
  expect(await store.audit.listEntries({}, { before: null, limit: 1 })).toEqual([]);
  const entry = createAuditEntry(
    { type: 'operator', id: 'ops@host-1' },
    'account.suspended',
    { id: 'usr_1', accountId: 'usr_1' },
    {},
    aContext(),
  );
  await store.audit.addEntry(entry);
  expect(await store.audit.listEntries({}, { before: null, limit: 1 })).toEqual([entry]);
  await (await Trade.open(store)).place();
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
