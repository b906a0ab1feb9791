import { type Account, type ApiKey, createAccount } from '@tradepost/domain/accounts/account';
import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { changeLimits } from '@tradepost/domain/accounts/limits';
import { resumeAccount, suspendAccount } from '@tradepost/domain/accounts/suspension';
import { type AuditEntry, formatAuditEntry } from '@tradepost/domain/audit/audit-log';
import {
  type Clock,
  type CommandContext,
  createContext,
  createIdGenerator,
  formatTimestamp,
  type IdGenerator,
} from '@tradepost/domain/kernel/context';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { createListing } from '@tradepost/domain/listings/listing';
import { defaultDisableAfterDays, disableFailing } from '@tradepost/domain/webhooks/disabling';
import { type IssuedKey, issueKey } from '../../src/kernel/api-key';
import type { Store } from '../../src/stores/store';
import { auditLimit, type Operation } from './operator-model';

/** What an operator's commands and the housekeeping use of a store. */
export type OperatedStore = Pick<Store, 'accounts' | 'listings' | 'webhooks' | 'audit'>;

const operator = { type: 'operator', id: 'model' } as const;
const dayMs = 24 * 60 * 60 * 1_000;

const orNull = (time: number | null) => (time === null ? null : formatTimestamp(time));

function showKey({ id, accountId, prefix, readOnly, isSession, parentId, ...times }: ApiKey) {
  return {
    ...{ id, accountId, prefix, readOnly, isSession, parentId },
    createdAt: formatTimestamp(times.createdAt),
    expiresAt: orNull(times.expiresAt),
    revokedAt: orNull(times.revokedAt),
  };
}

const showIssued = ({ record, apiKey }: IssuedKey) => ({
  keyId: record.id,
  apiKey,
  prefix: record.prefix,
});

function showEntry(entry: AuditEntry) {
  const { id, at, actor, action, subject, accountId } = formatAuditEntry(entry);
  return { id, at, actor, action, subjectId: (subject as { id: string }).id, accountId };
}

/** Returns the IDs of the webhooks that are failing for as long as the documentation says. */
export function findFailing({ webhooks }: OperatedStore, now: number): Promise<string[]> {
  const failingForMs = defaultDisableAfterDays * dayMs;
  return webhooks.listFailing({ now, failingForMs, limit: 100 });
}

/** Disables one of the webhooks that were found. Returns whether it did. */
async function disable(
  { webhooks }: OperatedStore,
  id: string,
  clock: Clock,
  newId: IdGenerator,
): Promise<boolean> {
  const found = { listFailing: async () => [id], disableWebhook: webhooks.disableWebhook };
  const settings = { clock, newId, disableAfterDays: defaultDisableAfterDays };
  const { disabled } = await disableFailing({ ...settings, webhooks: found });
  return disabled.length > 0;
}

/** Returns the account as a command changes it, and the entry of the audit log. */
function changeAccount(
  account: Account,
  operation: Extract<Operation, { kind: 'suspendAccount' | 'resumeAccount' | 'limitAccount' }>,
  context: CommandContext,
): { account: Account; audit: AuditEntry | null } {
  const audit = (action: Parameters<typeof auditAccount>[1], details = {}) =>
    auditAccount(operator, action, account, details, context);
  switch (operation.kind) {
    case 'suspendAccount': {
      const suspended = suspendAccount(account, null, context.now);
      return { account: suspended, audit: audit('account.suspended') };
    }
    case 'resumeAccount': {
      const entry = account.suspendedAt === null ? null : audit('account.resumed');
      return { account: resumeAccount(account), audit: entry };
    }
    case 'limitAccount': {
      const { account: limited, changes } = changeLimits(account, operation.limits);
      const isSame = Object.keys(changes).length === 0;
      return { account: limited, audit: isSame ? null : audit('account.limits_changed', changes) };
    }
  }
}

/** Creates the function that runs an operator's commands on a store, as `tradepost-server` does. */
export function createOperator(
  store: OperatedStore,
  clock: Clock,
): (operation: Operation) => Promise<unknown> {
  const { accounts, listings, audit } = store;
  const newId = createIdGenerator();
  return async (operation) => {
    const context = createContext(clock, newId);
    switch (operation.kind) {
      case 'createAccount': {
        const account = createAccount(operation.accountKind, operation.name, context);
        const key = { accountId: account.id, readOnly: false, expiresAt: null };
        const issued = issueKey(key, context);
        await accounts.addAccount(account, issued.record);
        return { id: account.id, ...showIssued(issued) };
      }
      case 'suspendAccount':
      case 'resumeAccount':
      case 'limitAccount': {
        const request = { id: operation.accountId, context };
        const { suspendedAt } = await accounts.changeAccount(request, (found) => {
          if (found === null) throw missingRecord('Account', operation.accountId);
          return changeAccount(found, operation, context);
        });
        return operation.kind === 'limitAccount' ? null : { suspendedAt: orNull(suspendedAt) };
      }
      case 'listAudit': {
        const entries = await audit.listEntries({}, { before: null, limit: auditLimit });
        return entries.map(showEntry);
      }
      case 'disableWebhook':
        return disable(store, operation.webhookId, clock, newId);
      case 'createKey': {
        const { accountId, readOnly, expiresIn } = operation;
        const expiresAt = expiresIn === null ? null : context.now + expiresIn;
        const issued = issueKey({ accountId, readOnly, expiresAt }, context);
        await accounts.addKey(issued.record);
        return showIssued(issued);
      }
      case 'revokeKey': {
        const key = await accounts.revokeKey(operation.keyId, context.now);
        return key === null ? null : showKey(key);
      }
      case 'listKeys':
        return (await accounts.listKeys(operation.accountId)).map(showKey);
      case 'createListing': {
        const { sellerId, agentId, units: availableQuantity, lowThreshold } = operation;
        const listing = createListing(
          { sellerId, agentId, availableQuantity, lowThreshold },
          context,
        );
        await listings.addListing(listing);
        return { id: listing.id };
      }
    }
  };
}
