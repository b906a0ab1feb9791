import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import { aContext, aListing, anAccount, aWebhook, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { aKey } from '../../helpers/a-key';
import { addCaller, addWebhook } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const operator = { type: 'operator', id: 'ops@host-1' } as const;
const all = { before: null, limit: 100 };

/** An entry about an account. */
function anEntry(accountId: string | null, now = noon) {
  const subject = { id: accountId, accountId };
  const details = { reason: 'fraud “7”', events: ['order.created'], none: null };
  return createAuditEntry(operator, 'account.suspended', subject, details, aContext(now));
}

/** The audit log. */
export function describeAuditLog(underTest: StoreUnderTest): void {
  describe('in the audit log', () => {
    test('entries are listed as they were added, newest first, page by page', async () => {
      const { audit } = underTest.current;
      const entries = [anEntry('usr_1'), anEntry(null, noon + 1), anEntry('usr_2', noon + 2)];
      for (const entry of entries) await audit.addEntry(entry);
      const newestFirst = entries.toReversed();
      expect(await audit.listEntries({}, all)).toEqual(newestFirst);
      const first = await audit.listEntries({}, { before: null, limit: 2 });
      expect(first).toEqual(newestFirst.slice(0, 2));
      const before = first[1]?.id ?? '';
      expect(await audit.listEntries({}, { before, limit: 2 })).toEqual(newestFirst.slice(2));
    });

    test('entries are found by account and by time', async () => {
      const { audit } = underTest.current;
      const [old, own, other] = [anEntry('usr_1'), anEntry('usr_1', noon + 5), anEntry('usr_2')];
      for (const entry of [old, own, other]) await audit.addEntry(entry);
      expect(await audit.listEntries({ accountId: 'usr_1' }, all)).toEqual([own, old]);
      expect(await audit.listEntries({ since: noon + 5 }, all)).toEqual([own]);
      expect(await audit.listEntries({ accountId: 'usr_2', since: noon + 1 }, all)).toEqual([]);
    });

    test('an entry is written with its change, and not without it', async () => {
      const { accounts, listings, webhooks, audit } = underTest.current;
      const account = anAccount({ kind: 'seller' });
      const { record } = aKey({ accountId: account.id });
      const { record: second } = aKey({ accountId: account.id });
      const entries = Array.from({ length: 7 }, (_, index) => anEntry(account.id, noon + index));
      const written = entries.values();
      const nextEntry = () => written.next().value ?? anEntry(null);
      await accounts.addAccount(account, record, [nextEntry(), nextEntry()]);
      await accounts.addKey(second, nextEntry());
      await accounts.revokeKey(second.id, noon, nextEntry);
      // The second call changes nothing, and a key that does not exist is not revoked.
      const again = () => anEntry(account.id);
      await accounts.revokeKey(second.id, noon + 1, again);
      await accounts.revokeKey('key_unknown', noon, again);
      const listing = aListing({ sellerId: account.id, agentId: null });
      await listings.addListing(listing, nextEntry());
      await listings.changeListing(listing.id, () => ({ ...listing, title: 'Tea' }), nextEntry);
      const webhook = await addWebhook(
        underTest.current,
        aWebhook({ accountId: account.id, events: ['order.created'] }),
      );
      const other = anEntry(account.id);
      expect(await webhooks.deleteWebhook('usr_other', webhook.id, noon, other)).toBe(false);
      expect(await webhooks.deleteWebhook(account.id, webhook.id, noon, nextEntry())).toBe(true);
      expect(await audit.listEntries({}, all)).toEqual(entries.toReversed());
    });

    test('an entry of a rejected change is not written', async () => {
      const { accounts, listings, audit } = underTest.current;
      const { accountId } = await addCaller(underTest.current, 'buyer');
      const { record } = aKey({ accountId });
      await accounts.addKey(record);
      await expect(accounts.addKey(record, anEntry(accountId))).rejects.toThrow();
      const reject = () => {
        throw new Error('no');
      };
      await expect(
        listings.changeListing('lst_1', reject, () => anEntry(accountId)),
      ).rejects.toThrow('no');
      expect(await audit.listEntries({}, all)).toEqual([]);
    });

    test('old entries are removed, step by step', async () => {
      const { audit, retention } = underTest.current;
      const entries = [0, 1, 2, 3].map((index) => anEntry('usr_1', noon + index));
      for (const entry of entries) await audit.addEntry(entry);
      const before = noon + 3;
      const first = await retention.pruneAuditLog({ after: null, before, limit: 2 });
      expect(first).toMatchObject({ removed: 2, next: entries[1]?.id, done: false });
      const second = await retention.pruneAuditLog({ after: first.next, before, limit: 2 });
      expect(second).toMatchObject({ removed: 1, done: true });
      expect(await audit.listEntries({}, all)).toEqual(entries.slice(3));
    });
  });
}
