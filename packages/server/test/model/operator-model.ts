import type { AccountKind } from '@tradepost/contract/wire';
import type { ModelAccount, ModelAudit, ModelKey } from './account-state';
import { addAudit, byOperator } from './audit-rules';
import { disableWebhook } from './disabling-rules';
import { addKey, endKey, revokedAtOf } from './key-rules';
import { formatTime, type ModelState, placeholder } from './state';

/** A command of `tradepost-server`, or work of its housekeeping. Accounts get their first key with them. */
export type Operation =
  | { kind: 'createAccount'; accountKind: AccountKind; name: string }
  | { kind: 'suspendAccount' | 'resumeAccount'; accountId: string }
  | { kind: 'limitAccount'; accountId: string; limits: ModelLimits }
  | { kind: 'createKey'; accountId: string; readOnly: boolean; expiresIn: number | null }
  | { kind: 'revokeKey'; keyId: string }
  | { kind: 'listKeys'; accountId: string | undefined }
  | { kind: 'listAudit' }
  | { kind: 'disableWebhook'; webhookId: string }
  | {
      kind: 'createListing';
      sellerId: string;
      agentId: string | null;
      units: number;
      lowThreshold: number | null;
    };

/** The limits of an account that a command sets. */
export type ModelLimits = Partial<Pick<ModelAccount, 'maxWebhooks' | 'maxOpenDeliveries'>>;

/** How many entries of the audit log an operator reads. */
export const auditLimit = 20;

const orNull = (time: number | null) => (time === null ? null : formatTime(time));

/** Shows a key to the operator. */
function showKey(state: ModelState, key: ModelKey) {
  const { id, accountId, prefix, readOnly, isSession, parentId } = key;
  return {
    ...{ id, accountId, prefix, readOnly, isSession, parentId },
    createdAt: formatTime(key.createdAt),
    expiresAt: orNull(key.expiresAt),
    revokedAt: orNull(revokedAtOf(state, key)),
  };
}

/** Shows all keys, or those of an account, to the operator. */
export function showKeys(state: ModelState, accountId?: string) {
  const keys = state.keys.filter((key) => accountId === undefined || key.accountId === accountId);
  return keys.toReversed().map((key) => showKey(state, key));
}

function showEntry({ number: _, at, ...entry }: ModelAudit) {
  return { ...entry, at: formatTime(at) };
}

/** Shows the newest entries of the audit log. */
export function showAudit({ audit }: ModelState) {
  return audit.slice(-auditLimit).toReversed().map(showEntry);
}

function issueKey(state: ModelState, key: Parameters<typeof addKey>[1]) {
  const { id: keyId, text: apiKey, prefix } = addKey(state, key);
  return { keyId, apiKey, prefix };
}

function findAccount({ accounts }: ModelState, accountId: string): ModelAccount {
  const account = accounts.find(({ id }) => id === accountId);
  if (account === undefined) throw new Error(`The model has no account ${accountId}.`);
  return account;
}

function resume(state: ModelState, account: ModelAccount): void {
  if (account.suspendedAt === null) return;
  account.suspendedAt = null;
  addAudit(state, byOperator, 'account.resumed', { id: account.id, accountId: account.id });
  for (const webhook of state.webhooks) {
    if (webhook.accountId !== account.id || webhook.status === 'paused') continue;
    webhook.backoffUntil = 0;
    webhook.failingSince = null;
  }
}

function limit(state: ModelState, account: ModelAccount, limits: ModelLimits): void {
  const { id, maxWebhooks, maxOpenDeliveries } = account;
  Object.assign(account, limits);
  const isSame =
    maxWebhooks === account.maxWebhooks && maxOpenDeliveries === account.maxOpenDeliveries;
  if (isSame) return;
  addAudit(state, byOperator, 'account.limits_changed', { id, accountId: id });
  // What was counted before the limit holds for a second.
  if (maxOpenDeliveries === null && account.maxOpenDeliveries !== null) {
    state.counts.push({ accountId: id, at: state.now, left: Infinity });
  }
}

/** Applies an operator's command to the state. Returns the expected result. */
export function applyOperation(state: ModelState, operation: Operation): unknown {
  switch (operation.kind) {
    case 'createAccount': {
      const { accountKind: kind, name } = operation;
      const id = placeholder(state, 'usr');
      const limits = { maxWebhooks: null, maxOpenDeliveries: null };
      state.accounts.push({ id, kind, name, createdAt: state.now, suspendedAt: null, ...limits });
      return { id, ...issueKey(state, { accountId: id, readOnly: false, expiresAt: null }) };
    }
    case 'suspendAccount': {
      const account = findAccount(state, operation.accountId);
      account.suspendedAt ??= state.now;
      const { id } = account;
      addAudit(state, byOperator, 'account.suspended', { id, accountId: id });
      return { suspendedAt: formatTime(account.suspendedAt) };
    }
    case 'resumeAccount':
      resume(state, findAccount(state, operation.accountId));
      return { suspendedAt: null };
    case 'limitAccount':
      limit(state, findAccount(state, operation.accountId), operation.limits);
      return null;
    case 'createKey': {
      const { accountId, readOnly, expiresIn } = operation;
      const expiresAt = expiresIn === null ? null : state.now + expiresIn;
      return issueKey(state, { accountId, readOnly, expiresAt });
    }
    case 'revokeKey': {
      const key = state.keys.find(({ id }) => id === operation.keyId);
      if (key === undefined) return null;
      endKey(state, key, () => {});
      return showKey(state, key);
    }
    case 'listKeys':
      return showKeys(state, operation.accountId);
    case 'listAudit':
      return showAudit(state);
    case 'disableWebhook':
      return disableWebhook(state, operation.webhookId);
    case 'createListing': {
      const { sellerId, agentId, units: available, lowThreshold } = operation;
      const id = placeholder(state, 'lst');
      const isLow = lowThreshold !== null && available < lowThreshold;
      state.listings.push({ id, sellerId, agentId, available, lowThreshold, isLow });
      return { id };
    }
  }
}
