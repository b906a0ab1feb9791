import {
  type AuditAction,
  type AuditActor,
  type AuditEntry,
  createAuditEntry,
} from '../audit/audit-log';
import type { CommandContext } from '../kernel/context';
import type { Account, ApiKey, Caller } from './account';

/** Returns who sent a request, for the audit log. */
export function toAuditActor({ keyId }: Pick<Caller, 'keyId'>): AuditActor {
  return { type: 'key', id: keyId };
}

/** Creates the entry of a change of an account. It has no name, which an erasure removes. */
export function auditAccount(
  actor: AuditActor,
  action: Extract<AuditAction, `account.${string}`>,
  { id }: Pick<Account, 'id'>,
  details: Record<string, unknown>,
  context: CommandContext,
): AuditEntry {
  return createAuditEntry(actor, action, { id, accountId: id }, details, context);
}

/** Creates the entry of a change of a key. It has the start of the key, which helps to recognize it. */
export function auditKey(
  actor: AuditActor,
  action: Extract<AuditAction, `key.${string}`>,
  { id, accountId, prefix, readOnly, isSession }: ApiKey,
  context: CommandContext,
): AuditEntry {
  return createAuditEntry(
    actor,
    action,
    { id, accountId },
    { prefix, readOnly, isSession },
    context,
  );
}
