import type { CreateWebhook, EventType, UpdateWebhook, Webhook } from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import {
  formatTime,
  type ModelSettings,
  type ModelState,
  type ModelWebhook,
  placeholder,
  Rejection,
  type Reply,
} from './state';

const maxWebhooks = 20;

/** Every event type, in the order of the API specification, "Event kinds"; then the extension. */
export const eventTypes: EventType[] = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
];

function sortEvents(events: EventType[]): EventType[] {
  return eventTypes.filter((type) => events.includes(type));
}

/** Returns the webhooks that an account may see, oldest first. */
export function visibleWebhooks(state: ModelState, { id }: ModelAccount): ModelWebhook[] {
  return state.webhooks.filter(({ accountId, isDeleted }) => accountId === id && !isDeleted);
}

/** Returns a webhook that the account may see. */
export function findWebhook(state: ModelState, account: ModelAccount, id = ''): ModelWebhook {
  const webhook = visibleWebhooks(state, account).find((one) => one.id === id);
  if (webhook === undefined) throw new Rejection('webhook_not_found');
  return webhook;
}

/** Whether nothing is sent to a webhook: it is paused, or its account is suspended. */
export function isHeld(
  { accounts }: ModelState,
  { accountId, status }: Pick<ModelWebhook, 'accountId' | 'status'>,
): boolean {
  const account = accounts.find(({ id }) => id === accountId);
  return status === 'paused' || account?.suspendedAt != null;
}

function showPlain(webhook: ModelWebhook): Webhook {
  const { id, url, events, status, settings, createdAt, updatedAt } = webhook;
  const { description, headers, attemptsPerMinute } = settings;
  const shown = { description, headerNames: Object.keys(headers), attemptsPerMinute };
  const times = { createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt) };
  return { id, url, events, status, ...shown, ...times };
}

/** Shows a webhook with its statistics. */
export function showWebhook(state: ModelState, webhook: ModelWebhook) {
  const { staged, failures, backoffUntil, lastStatus, lastError, failingSince, disabledAt } =
    webhook;
  const pending = state.deliveries.filter(
    (delivery) => delivery.webhookId === webhook.id && delivery.state === 'pending',
  );
  return {
    ...showPlain(webhook),
    stagedSecretAt: staged === null ? null : formatTime(staged.at),
    pendingDeliveries: pending.length,
    consecutiveFailures: failures,
    backoffUntil: backoffUntil > state.now ? formatTime(backoffUntil) : null,
    lastStatus,
    lastError,
    failingSince: failingSince === null ? null : formatTime(failingSince),
    disabledAt: disabledAt === null ? null : formatTime(disabledAt),
  };
}

const noSettings: ModelSettings = { description: null, headers: {}, attemptsPerMinute: null };

function pickSettings(body: Partial<ModelSettings>): Partial<ModelSettings> {
  const names = ['description', 'headers', 'attemptsPerMinute'] as const;
  return Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
}

/** `POST /v1/webhooks`. */
export function createWebhook(state: ModelState, owner: ModelAccount, body: CreateWebhook): Reply {
  if (visibleWebhooks(state, owner).length >= (owner.maxWebhooks ?? maxWebhooks)) {
    throw new Rejection('webhook_limit_reached');
  }
  const webhook: ModelWebhook = {
    id: placeholder(state, 'whk'),
    number: state.created,
    accountId: owner.id,
    url: body.url,
    events: sortEvents(body.events),
    status: 'active',
    settings: { ...noSettings, ...pickSettings(body) },
    secret: placeholder(state, 'secret'),
    staged: null,
    createdAt: state.now,
    updatedAt: state.now,
    isDeleted: false,
    concurrencyLimit: 4,
    failures: 0,
    failedAt: 0,
    backoffUntil: 0,
    lastStatus: null,
    lastError: null,
    failingSince: null,
    disabledAt: null,
  };
  state.webhooks.push(webhook);
  const data = { ...showPlain(webhook), secret: webhook.secret };
  return { status: 201, location: `/v1/webhooks/${webhook.id}`, body: { data } };
}

/** `GET /v1/webhooks/:id`. */
export function getWebhook(state: ModelState, account: ModelAccount, id?: string): Reply {
  const data = showWebhook(state, findWebhook(state, account, id));
  return { status: 200, body: { data } };
}

/** `PATCH /v1/webhooks/:id`. */
export function updateWebhook(
  state: ModelState,
  account: ModelAccount,
  id: string | undefined,
  changes: UpdateWebhook,
): Reply {
  const webhook = findWebhook(state, account, id);
  const { url = webhook.url, events = webhook.events, status = webhook.status } = changes;
  const settings = { ...webhook.settings, ...pickSettings(changes) };
  const show = () =>
    JSON.stringify([webhook.url, webhook.events, webhook.status, webhook.settings]);
  const before = show();
  if (url !== webhook.url || (webhook.status === 'paused' && status === 'active')) {
    webhook.backoffUntil = 0;
    if (status === 'active') webhook.failingSince = null;
  }
  Object.assign(webhook, { url, events: sortEvents(events), status, settings });
  if (status === 'active') webhook.disabledAt = null;
  if (show() !== before) webhook.updatedAt = state.now;
  return { status: 200, body: { data: showWebhook(state, webhook) } };
}

/** `DELETE /v1/webhooks/:id`. */
export function deleteWebhook(state: ModelState, account: ModelAccount, id?: string): Reply {
  findWebhook(state, account, id).isDeleted = true;
  return { status: 204 };
}

/** `POST /v1/webhooks/:id/secret`. */
export function stageSecret(state: ModelState, account: ModelAccount, id?: string): Reply {
  const webhook = findWebhook(state, account, id);
  webhook.staged = { secret: placeholder(state, 'secret'), at: state.now };
  webhook.updatedAt = state.now;
  const { secret, at } = webhook.staged;
  return {
    status: 201,
    body: { data: { webhookId: webhook.id, secret, stagedAt: formatTime(at) } },
  };
}

/** `POST /v1/webhooks/:id/secret/promote`. */
export function promoteSecret(state: ModelState, account: ModelAccount, id?: string): Reply {
  const webhook = findWebhook(state, account, id);
  if (webhook.staged === null) throw new Rejection('no_staged_secret');
  webhook.secret = webhook.staged.secret;
  webhook.staged = null;
  webhook.updatedAt = state.now;
  return { status: 200, body: { data: showWebhook(state, webhook) } };
}
