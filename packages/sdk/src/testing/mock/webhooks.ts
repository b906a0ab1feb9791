import {
  type CreateWebhook,
  type EventType,
  eventTypes,
  maxWebhooksPerAccount,
  type SendTestEvent,
  testIdMark,
  type UpdateWebhook,
  type WebhookEvent,
} from '@tradepost/contract/wire';
import type { RegisteredWebhook, WebhookDetails } from '../../index';
import { sampleEvent } from '../sample-event';
import { toDelivery } from './deliveries';
import type { HandlerRequest, MockResponse } from './handler';
import type { Market, WebhookRecord } from './market';
import { slicePage } from './page';
import { MockProblem } from './problem';
import { normalizeWebhookUrl } from './webhook-url';

function toDetails(market: Market, webhook: WebhookRecord): WebhookDetails {
  const { id, url, events, status, createdAt, updatedAt } = webhook;
  const { stagedSecretAt, consecutiveFailures } = webhook;
  const pending = market.deliveries.filter(
    ({ webhookId, state }) => webhookId === id && state === 'pending',
  );
  return {
    id,
    url,
    events,
    status,
    createdAt,
    updatedAt,
    stagedSecretAt,
    pendingDeliveries: pending.length,
    consecutiveFailures,
    backoffUntil: null,
  };
}

/** Finds a webhook of the caller. */
export function findWebhook(market: Market, { id, caller }: HandlerRequest): WebhookRecord {
  const found = market.webhooks.find(
    (webhook) => webhook.id === id && webhook.accountId === caller.id,
  );
  if (found) return found;
  throw new MockProblem(
    'webhook_not_found',
    `No webhook ${JSON.stringify(id)} belongs to this account. Check the ID (whk_<id>) and the API key.`,
  );
}

/** In the contract's order. */
function sortEventTypes(events: readonly string[]): EventType[] {
  return eventTypes.filter((type) => events.includes(type));
}

/** Creates a secret in the format of the service. It protects nothing. */
function createSecret(market: Market): string {
  // 32 bytes.
  return `whsec_${btoa(market.clock.newId('mock').padEnd(32, '.'))}`;
}

/** Handles `POST /v1/webhooks`. */
export function createWebhook(market: Market, { caller, body }: HandlerRequest): MockResponse {
  const { url, events } = body as CreateWebhook;
  const { clock, webhooks } = market;
  const existing = webhooks.filter(({ accountId }) => accountId === caller.id);
  if (existing.length >= maxWebhooksPerAccount) {
    throw new MockProblem(
      'webhook_limit_reached',
      `This account has ${existing.length} webhooks; the limit is ${maxWebhooksPerAccount}. Subscribe an existing webhook to more event types.`,
    );
  }
  const now = clock.timestamp();
  const created: RegisteredWebhook = {
    url: normalizeWebhookUrl(url),
    id: clock.newId('whk'),
    events: sortEventTypes(events),
    status: 'active',
    createdAt: now,
    updatedAt: now,
    secret: market.webhookSecret ?? createSecret(market),
  };
  webhooks.push({
    ...created,
    accountId: caller.id,
    stagedSecret: null,
    stagedSecretAt: null,
    consecutiveFailures: 0,
  });
  return {
    status: 201,
    headers: { Location: `/v1/webhooks/${created.id}` },
    body: { data: created },
  };
}

/** Handles `GET /v1/webhooks`. */
export function listWebhooks(market: Market, request: HandlerRequest): MockResponse {
  const own = market.webhooks.filter(({ accountId }) => accountId === request.caller.id);
  const { items, nextCursor } = slicePage(own, request, 'whk');
  return { status: 200, body: { data: items.map((item) => toDetails(market, item)), nextCursor } };
}

/** Handles `GET /v1/webhooks/:id`. */
export function getWebhook(market: Market, request: HandlerRequest): MockResponse {
  return respondWithDetails(market, findWebhook(market, request));
}

function respondWithDetails(market: Market, webhook: WebhookRecord): MockResponse {
  return { status: 200, body: { data: toDetails(market, webhook) } };
}

/** If the clock was set back, the change must not come before the last one. */
function touch({ clock }: Market, webhook: WebhookRecord): void {
  const now = clock.timestamp();
  if (now > webhook.updatedAt) webhook.updatedAt = now;
}

/** Handles `PATCH /v1/webhooks/:id`. */
export function updateWebhook(market: Market, request: HandlerRequest): MockResponse {
  const webhook = findWebhook(market, request);
  const changes = request.body as UpdateWebhook;
  const url = changes.url === undefined ? webhook.url : normalizeWebhookUrl(changes.url);
  const events = sortEventTypes(changes.events ?? webhook.events);
  const status = changes.status ?? webhook.status;
  const isSame =
    url === webhook.url && status === webhook.status && events.join() === webhook.events.join();
  if (!isSame) {
    Object.assign(webhook, { url, events, status });
    touch(market, webhook);
  }
  return respondWithDetails(market, webhook);
}

/** Handles `DELETE /v1/webhooks/:id`. Its deliveries can no longer be found. */
export function deleteWebhook(market: Market, request: HandlerRequest): MockResponse {
  const { webhooks } = market;
  webhooks.splice(webhooks.indexOf(findWebhook(market, request)), 1);
  return { status: 204 };
}

/** Handles `POST /v1/webhooks/:id/secret`. */
export function stageSecret(market: Market, request: HandlerRequest): MockResponse {
  const webhook = findWebhook(market, request);
  const secret = createSecret(market);
  touch(market, webhook);
  Object.assign(webhook, { stagedSecret: secret, stagedSecretAt: webhook.updatedAt });
  return {
    status: 201,
    body: { data: { webhookId: webhook.id, secret, stagedAt: webhook.updatedAt } },
  };
}

/** Handles `POST /v1/webhooks/:id/secret/promote`. */
export function promoteSecret(market: Market, request: HandlerRequest): MockResponse {
  const webhook = findWebhook(market, request);
  const { id, stagedSecret } = webhook;
  if (stagedSecret === null) {
    throw new MockProblem(
      'no_staged_secret',
      `Webhook ${id} has no staged secret. Stage one with POST /v1/webhooks/${id}/secret, let the receiver accept it, then promote it.`,
    );
  }
  Object.assign(webhook, { secret: stagedSecret, stagedSecret: null, stagedSecretAt: null });
  touch(market, webhook);
  return respondWithDetails(market, webhook);
}

/** Handles `POST /v1/webhooks/:id/test`. */
export function sendTestEvent(market: Market, request: HandlerRequest): MockResponse {
  const webhook = findWebhook(market, request);
  if (webhook.status === 'paused') {
    throw new MockProblem(
      'webhook_paused',
      `Webhook ${webhook.id} is paused and receives no deliveries. Resume it with PATCH /v1/webhooks/${webhook.id} and status active.`,
    );
  }
  const { event } = request.body as SendTestEvent;
  const { clock } = market;
  // IDs that are new, do not refer to anything, and are marked.
  const newId = (prefix: string) => clock.newId(prefix).replace('_', `_${testIdMark}`);
  const createSample = (type: EventType): WebhookEvent => {
    const sample = sampleEvent(type, { createdAt: clock.timestamp() });
    const data = Object.entries(sample.data).map(([name, value]) => {
      const [, prefix] = /^([a-z]{3})_/.exec(String(value)) ?? [];
      return [name, prefix === undefined ? value : newId(prefix)];
    });
    return { ...sample, data: Object.fromEntries(data) } as WebhookEvent;
  };
  const delivery = market.queueDelivery(webhook, clock.newId('evt'), createSample(event), null);
  return {
    status: 202,
    headers: { Location: `/v1/deliveries/${delivery.id}` },
    body: { data: toDelivery(market, delivery) },
  };
}
