import type { AccountStore, ApiKey } from '../accounts/account';
import { isValid } from '../accounts/authentication';
import type { AuditStore } from '../audit/audit-log';
import { smallestIdAt } from '../kernel/context';
import type { ListingStore } from '../listings/listing';
import type { NotificationStore } from '../notifications/notification';
import { createNameMatcher, listPartnerships, type PartnerStore } from '../partners/partner';
import {
  cutPage,
  type MemoryData,
  newestFirst,
  requireReference,
  requireUnused,
} from './memory-data';

/** Returns a key as the ports show it: a session is revoked when its key is. */
export function readKey({ keys }: MemoryData, key: ApiKey): ApiKey {
  const parent = key.isSession ? keys.get(key.parentId ?? '') : undefined;
  return { ...key, revokedAt: key.revokedAt ?? parent?.revokedAt ?? null };
}

/** Creates the store of accounts and keys. */
export function createMemoryAccountStore(data: MemoryData): AccountStore {
  const { accounts, keys } = data;
  const requireUnusedHash = (hash: string) =>
    requireUnused(new Map([...keys.values()].map((key) => [key.hash, key])), hash);
  const listKeys = (accountId?: string) =>
    [...keys.values()]
      .filter((key) => key.accountId === (accountId ?? key.accountId))
      .map((key) => readKey(data, key));
  return {
    async addAccount(account, firstKey, audit = []) {
      requireUnused(accounts, account.id);
      requireUnused(keys, firstKey.id);
      requireUnusedHash(firstKey.hash);
      accounts.set(account.id, account);
      keys.set(firstKey.id, firstKey);
      for (const entry of audit) data.addAudit(entry);
    },

    findAccount: async (id) => accounts.get(id) ?? null,

    listAccounts: async () => [...accounts.values()].sort(byId),

    async changeAccount({ id, context }, decide) {
      const before = accounts.get(id) ?? null;
      const { account, audit } = decide(before);
      requireReference(accounts, id);
      accounts.set(id, account);
      data.addAudit(audit);
      if ((before?.suspendedAt === null) !== (account.suspendedAt === null))
        data.holdQueues(account, context.now);
      return account;
    },

    async addKey(key, audit) {
      requireReference(accounts, key.accountId);
      requireUnused(keys, key.id);
      requireUnusedHash(key.hash);
      keys.set(key.id, key);
      data.addAudit(audit);
    },

    async createKey({ caller, idempotencyKey, context }, decide) {
      const add = () => {
        const maker = keys.get(caller.keyId) ?? null;
        const valid = listKeys(caller.accountId).filter(
          (key) => !key.isSession && isValid(key, context.now),
        );
        const { key, response, audit } = decide({ maker, validCount: valid.length });
        requireUnused(keys, key.id);
        requireUnusedHash(key.hash);
        keys.set(key.id, key);
        data.addAudit(audit);
        return response;
      };
      return data.runIdempotent(idempotencyKey, context.now, add);
    },

    async findKeyByHash(hash) {
      const key = [...keys.values()].find((one) => one.hash === hash);
      const account = key && accounts.get(key.accountId);
      if (!account) return null;
      const { kind, suspendedAt, requestsPerMinute } = account;
      return { ...readKey(data, key), kind, suspendedAt, requestsPerMinute };
    },

    async findKeyOwner(keyId) {
      const key = keys.get(keyId);
      const account = key && accounts.get(key.accountId);
      return account ? { account, key: readKey(data, key) } : null;
    },

    listKeys: async (accountId) => listKeys(accountId).sort(byId),

    listKeyPage: async (accountId, page) => cutPage(listKeys(accountId), page),

    async recordKeyUses(uses) {
      for (const [id, usedAt] of uses) {
        const key = keys.get(id);
        if (key && (key.lastUsedAt ?? 0) < usedAt) keys.set(id, { ...key, lastUsedAt: usedAt });
      }
    },

    async revokeKey(id, now, audit) {
      const key = keys.get(id);
      if (key === undefined) return null;
      const found = readKey(data, key);
      // That of a session that ended with its key, too.
      if (found.revokedAt !== null) return found;
      const revoked = { ...key, revokedAt: now };
      keys.set(id, revoked);
      data.addAudit(audit?.(revoked));
      return revoked;
    },
  };
}

/** From the newest to the oldest. */
export function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? 1 : -1;
}

/** Creates the store of the audit log. */
export function createMemoryAuditStore(data: MemoryData): AuditStore {
  return {
    addEntry: async (entry) => data.addAudit(entry),

    listEntries: async ({ accountId, since = 0 }, { before, limit }) =>
      [...data.audit.values()]
        .filter((entry) => entry.accountId === (accountId ?? entry.accountId))
        .filter(({ id }) => id >= smallestIdAt('aud', since) && (before === null || id < before))
        .sort(byId)
        .slice(0, limit),
  };
}

/** Creates the store of listings. */
export function createMemoryListingStore(data: MemoryData): ListingStore {
  const { accounts, listings } = data;
  return {
    async addListing(listing, audit) {
      requireReference(accounts, listing.sellerId);
      requireReference(accounts, listing.agentId);
      requireUnused(listings, listing.id);
      listings.set(listing.id, listing);
      data.addAudit(audit);
    },

    findListing: async (id) => listings.get(id) ?? null,

    listListings: async (sellerId) =>
      [...listings.values()]
        .filter((listing) => listing.sellerId === (sellerId ?? listing.sellerId))
        .sort(newestFirst),

    async changeListing(id, decide, audit) {
      const changed = decide(listings.get(id) ?? null);
      requireReference(listings, id);
      requireReference(accounts, changed.agentId);
      listings.set(id, changed);
      data.addAudit(audit?.(changed));
      return changed;
    },
  };
}

/** Creates the store of notifications. */
export function createMemoryNotificationStore(data: MemoryData): NotificationStore {
  const { notifications } = data;
  return {
    async listNotifications(accountId, { read }, page) {
      const own = [...notifications.values()].filter(
        (one) => one.accountId === accountId && one.read === (read ?? one.read),
      );
      return cutPage(own, page);
    },

    async markRead(accountId, id) {
      const found = notifications.get(id);
      if (found?.accountId !== accountId) return null;
      const changed = { ...found, read: true };
      notifications.set(id, changed);
      return changed;
    },

    async markAllRead({ accountId, before, limit, idempotencyKey, context }, respond) {
      return data.runIdempotent(idempotencyKey, context.now, () => {
        const unread = [...notifications.values()]
          .filter((one) => one.accountId === accountId && !one.read && one.createdAt < before)
          .sort((one, other) => one.createdAt - other.createdAt || byId(other, one));
        const marked = unread.slice(0, limit);
        for (const one of marked) notifications.set(one.id, { ...one, read: true });
        return respond({ marked: marked.length, hasMore: unread.length > limit });
      });
    },
  };
}

/** Creates the store of partners, which are those of the orders. */
export function createMemoryPartnerStore({ accounts, orders }: MemoryData): PartnerStore {
  return {
    async listPartners(accountId, name, { after, limit }, signal) {
      signal?.throwIfAborted();
      const partnerships = [...orders.values()].flatMap(listPartnerships);
      const own = partnerships.filter((one) => one.accountId === accountId);
      return [...new Set(own.map(({ partnerId }) => partnerId))]
        .flatMap((id) => accounts.get(id) ?? [])
        .filter((account) => after === null || account.id < after.id)
        .filter(name === undefined ? () => true : createNameMatcher(name))
        .sort(byId)
        .slice(0, limit);
    },
  };
}
