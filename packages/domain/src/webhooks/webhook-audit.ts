import {
  type AuditAction,
  type AuditActor,
  type AuditEntry,
  createAuditEntry,
} from '../audit/audit-log';
import type { CommandContext } from '../kernel/context';
import type { Webhook } from './webhook';

/** The action of a change of a webhook. */
type WebhookAction = Extract<AuditAction, `webhook.${string}`>;

/** Creates the entry of a change of a webhook. It has the origin of its URL only: the rest may have a token. */
export function auditWebhook(
  actor: AuditActor,
  action: WebhookAction,
  webhook: Pick<Webhook, 'id' | 'accountId' | 'url' | 'events'>,
  context: CommandContext,
): AuditEntry {
  const { id, accountId, url, events } = webhook;
  const details = { origin: new URL(url).origin, events };
  return createAuditEntry(actor, action, { id, accountId }, details, context);
}

const changeable = [
  ...(['url', 'events', 'status', 'description', 'headers', 'attemptsPerMinute'] as const),
] as const;

/** Creates the entry of an update of a webhook; null if it changed nothing. */
export function auditWebhookUpdate(
  actor: AuditActor,
  before: Webhook,
  after: Webhook,
  context: CommandContext,
): AuditEntry | null {
  const changed = changeable.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const [first, ...others] = changed;
  if (first === undefined) return null;
  if (first === 'status' && others.length === 0) {
    const action = after.status === 'paused' ? 'webhook.paused' : 'webhook.resumed';
    return auditWebhook(actor, action, after, context);
  }
  const entry = auditWebhook(actor, 'webhook.updated', after, context);
  return { ...entry, details: { ...entry.details, status: after.status, changed } };
}
