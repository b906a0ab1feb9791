import type { ModelAudit, ModelKey } from './account-state';
import type { Call } from './call';
import { type ModelState, type ModelWebhook, placeholder, type Reply } from './state';

/** Who did something. */
export const byKey = ({ id }: Pick<ModelKey, 'id'>): ModelAudit['actor'] => ({ type: 'key', id });
export const byOperator: ModelAudit['actor'] = { type: 'operator', id: 'model' };
export const byService: ModelAudit['actor'] = { type: 'service', id: 'tradepost-server' };

/** Adds an entry to the audit log. */
export function addAudit(
  state: ModelState,
  actor: ModelAudit['actor'],
  action: string,
  { id: subjectId, accountId }: { id: string; accountId: string },
): void {
  const id = placeholder(state, 'aud');
  state.audit.push({
    ...{ id, number: state.created, at: state.now, actor, action, subjectId, accountId },
  });
}

const showSettings = ({ url, events, settings }: ModelWebhook) =>
  JSON.stringify([url, events, settings]);

/** Runs the rule of a call, and adds the entry of what it did with a webhook. */
export function runAudited(
  state: ModelState,
  key: ModelKey,
  { route, id }: Call,
  run: () => Reply,
): Reply {
  const found = state.webhooks.find((one) => one.id === id);
  const before = found && { settings: showSettings(found), status: found.status };
  const reply = run();
  const webhook = route === 'webhooks.create' ? state.webhooks.at(-1) : found;
  if (webhook !== undefined) {
    const action = findAction(route, before, webhook);
    if (action !== null) addAudit(state, byKey(key), action, webhook);
  }
  return reply;
}

function findAction(
  route: Call['route'],
  before: { settings: string; status: string } | undefined,
  webhook: ModelWebhook,
): string | null {
  switch (route) {
    case 'webhooks.create':
      return 'webhook.created';
    case 'webhooks.delete':
      return 'webhook.deleted';
    case 'webhooks.stageSecret':
      return 'webhook.secret_staged';
    case 'webhooks.promoteSecret':
      return 'webhook.secret_promoted';
    case 'webhooks.update':
      if (before?.settings !== showSettings(webhook)) return 'webhook.updated';
      if (before.status === webhook.status) return null;
      return webhook.status === 'paused' ? 'webhook.paused' : 'webhook.resumed';
    default:
      return null;
  }
}
