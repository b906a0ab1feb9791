import { type CommandContext, formatTimestamp } from '../kernel/context';

/** Who made a change: an operator of the server, a program with an API key, or the service itself. */
export interface AuditActor {
  type: 'operator' | 'key' | 'service';
  /** Of an operator the user and the host, such as `ops@host-1`; of a program `key_<id>`; of the service `tradepost-server`. */
  id: string;
}

/** What was done. A later version may add actions. */
export type AuditAction =
  | 'account.created'
  | 'account.suspended'
  | 'account.resumed'
  | 'account.limits_changed'
  | 'account.retention_changed'
  | 'account.exported'
  | 'account.erased'
  | 'key.created'
  | 'key.revoked'
  | 'listing.created'
  | 'listing.updated'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.paused'
  | 'webhook.resumed'
  | 'webhook.deleted'
  | 'webhook.disabled'
  | 'webhook.secret_staged'
  | 'webhook.secret_promoted'
  | 'deliveries.replayed'
  | 'secrets.rotated';

/** What an action was done to: its type follows from the action, as the text before the dot. */
export interface AuditSubject {
  /** The ID of the account, key, listing or webhook; of a secret key the key's ID; null if there are several. */
  id: string | null;
  /** The account that it belongs to; null if it belongs to none. */
  accountId: string | null;
}

/** One entry of the audit log. It has no secrets, neither keys nor endpoint secrets nor URLs with their paths. */
export interface AuditEntry {
  /** `aud_<id>`. Sorts by time. */
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  actorType: AuditActor['type'];
  actorId: string;
  action: AuditAction;
  subjectType: string;
  subjectId: string | null;
  accountId: string | null;
  /** What else is to be known, such as the reason of a suspension. */
  details: Record<string, unknown>;
}

/** Creates an entry of the audit log. */
export function createAuditEntry(
  actor: AuditActor,
  action: AuditAction,
  { id, accountId }: AuditSubject,
  details: Record<string, unknown>,
  context: CommandContext,
): AuditEntry {
  return {
    id: context.newId('aud'),
    at: context.now,
    actorType: actor.type,
    actorId: actor.id,
    action,
    subjectType: action.slice(0, action.indexOf('.')),
    subjectId: id,
    accountId,
    details,
  };
}

/** Returns what an operator sees of an entry. */
export function formatAuditEntry(entry: AuditEntry): Record<string, unknown> {
  const { id, at, actorType, actorId, action, subjectType, subjectId, accountId, details } = entry;
  return {
    id,
    at: formatTimestamp(at),
    actor: { type: actorType, id: actorId },
    action,
    subject: { type: subjectType, id: subjectId },
    accountId,
    details,
  };
}

/** Stores the audit log. Other stores add the entry of a change in the transaction of that change. */
export interface AuditStore {
  /** Adds the entry of something that is not a change of one record. */
  addEntry(entry: AuditEntry): Promise<void>;
  /**
   * Lists entries, newest first, up to `limit`.
   *
   * @param filter.accountId Only those of this account.
   * @param filter.since Only those at this time or later, in milliseconds since 1970.
   * @param page.before Only those before this entry; null to start with the newest.
   */
  listEntries(
    filter: { accountId?: string | undefined; since?: number | undefined },
    page: { before: string | null; limit: number },
  ): Promise<AuditEntry[]>;
}
