import { type contract, pageLimit } from '@tradepost/contract';
import { toAuditActor } from '../accounts/account-audit';
import { type Clock, createContext, formatTimestamp, type IdGenerator } from '../kernel/context';
import { withReplayedHeader } from '../kernel/idempotency';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
import {
  assertWithinLimit,
  createEndpointSecret,
  createWebhook,
  promoteSecret,
  resetHealth,
  stageSecret,
  toCreatedWebhookResponse,
  toWebhookDetailsResponse,
  updateWebhook,
  type Webhook,
  type WebhookWithHealth,
  webhookNotFound,
} from './webhook';
import { auditWebhook, auditWebhookUpdate } from './webhook-audit';
import type { WebhookPolicy } from './webhook-policy';
import { defaultWindow, readStats, readTotals } from './webhook-stats';
import type { WebhookStore } from './webhook-store';

/** Creates the handlers of the webhook endpoints, except for test events and replays, which are about deliveries. */
export function webhookRoutes(
  webhooks: WebhookStore,
  policy: WebhookPolicy,
  clock: Clock,
  newId: IdGenerator,
  createSecret = createEndpointSecret,
): Omit<RouteHandlers<typeof contract.webhooks>, 'test' | 'replayDeliveries'> {
  /** Builds the response that shows a webhook after a change. */
  function toChangedResponse(before: WebhookWithHealth, after: Webhook, now: number) {
    const withHealth = { ...after, health: { ...before.health, ...resetHealth(before, after) } };
    const data = toWebhookDetailsResponse(withHealth, now);
    return { status: 200 as const, headers: {}, body: { data } };
  }

  return {
    async create({ caller, body, idempotencyKey }) {
      const context = createContext(clock, newId);
      const secret = createSecret();
      const request = { accountId: caller.accountId, idempotencyKey, context };
      const { response, replayed } = await webhooks.addWebhook(request, (existingCount, limit) => {
        assertWithinLimit(existingCount, limit);
        const webhook = createWebhook(caller, body, policy, secret, context);
        return {
          webhook,
          audit: auditWebhook(toAuditActor(caller), 'webhook.created', webhook, context),
          response: {
            status: 201 as const,
            headers: { Location: `/v1/webhooks/${webhook.id}` },
            body: { data: toCreatedWebhookResponse(webhook) },
          },
        };
      });
      return replayed ? withReplayedHeader(response) : response;
    },

    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const after = query.cursor ? decodeCursor(query.cursor, 'whk') : null;
      const page = { after, limit: limit + 1 };
      const found = await webhooks.listWebhooks(caller.accountId, page);
      const { items, nextCursor } = slicePage(found, limit);
      const now = clock.now();
      const data = items.map((item) => toWebhookDetailsResponse(item, now));
      if (query.expand === undefined) return { status: 200, body: { data, nextCursor } };
      const ids = items.map(({ id }) => id);
      const getTotals = await readTotals(webhooks, ids, now);
      const expanded = data.map((item) => ({ ...item, stats: getTotals(item.id) }));
      return { status: 200, body: { data: expanded, nextCursor } };
    },

    async get({ caller, params }) {
      const found = await webhooks.findWebhook(caller.accountId, params.id);
      if (found === null) throw webhookNotFound(params.id);
      return { status: 200, body: { data: toWebhookDetailsResponse(found, clock.now()) } };
    },

    async stats({ caller, params, query }) {
      const { window = defaultWindow } = query;
      const found = await webhooks.findWebhook(caller.accountId, params.id);
      if (found === null) throw webhookNotFound(params.id);
      const data = await readStats(webhooks, found.id, window, clock.now());
      return { status: 200, body: { data } };
    },

    async update({ caller, params, body }) {
      const context = createContext(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, idempotencyKey: null, context };
      const { response } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = updateWebhook(found, body, policy, context.now);
        const audit = auditWebhookUpdate(toAuditActor(caller), found, webhook, context);
        return { webhook, audit, response: toChangedResponse(found, webhook, context.now) };
      });
      return response;
    },

    async delete({ caller, params }) {
      const context = createContext(clock, newId);
      const { accountId } = caller;
      const found = await webhooks.findWebhook(accountId, params.id);
      if (found === null) throw webhookNotFound(params.id);
      const audit = auditWebhook(toAuditActor(caller), 'webhook.deleted', found, context);
      const deleted = await webhooks.deleteWebhook(accountId, params.id, context.now, audit);
      if (!deleted) throw webhookNotFound(params.id);
      return { status: 204, body: undefined };
    },

    async stageSecret({ caller, params, idempotencyKey }) {
      const context = createContext(clock, newId);
      const secret = createSecret();
      const request = { accountId: caller.accountId, id: params.id, idempotencyKey, context };
      const { response, replayed } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = stageSecret(found, secret, context.now);
        const data = {
          webhookId: webhook.id,
          secret,
          stagedAt: formatTimestamp(webhook.updatedAt),
        };
        const audit = auditWebhook(toAuditActor(caller), 'webhook.secret_staged', webhook, context);
        return { webhook, audit, response: { status: 201 as const, headers: {}, body: { data } } };
      });
      return replayed ? withReplayedHeader(response) : response;
    },

    async promoteSecret({ caller, params, idempotencyKey }) {
      const context = createContext(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, idempotencyKey, context };
      const { response, replayed } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = promoteSecret(found, context.now);
        const audit = auditWebhook(
          toAuditActor(caller),
          'webhook.secret_promoted',
          webhook,
          context,
        );
        return { webhook, audit, response: toChangedResponse(found, webhook, context.now) };
      });
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}
