import { type contract, pageLimit } from '@tradepost/contract';
import { type Clock, timestamp } from '../clock';
import type { FeatureRoutes } from '../feature-routes';
import { markReplayed } from '../idempotency-claim';
import type { NewId } from '../ids';
import { present } from '../moment';
import { cutPage, readCursor } from '../position';
import {
  isMended,
  newEndpointSecret,
  presentCreatedWebhook,
  promoteSecret,
  registerWebhook,
  requireRoom,
  stageSecret,
  updateWebhook,
  type Webhook,
  webhookNotFound,
} from './webhook';
import type { WebhookPolicy } from './webhook-policy';
import type { WebhookStore } from './webhook-store';
import { presentWatchedWebhook, type WatchedWebhook } from './webhook-traffic';

/** The webhook endpoints, but for the sending of samples, which is the delivery engine's. */
export function webhookRoutes(
  webhooks: WebhookStore,
  policy: WebhookPolicy,
  clock: Clock,
  newId: NewId,
): Omit<FeatureRoutes<typeof contract.webhooks>, 'test'> {
  /** The answer that shows a webhook as a change leaves it. */
  function shown(before: WatchedWebhook, after: Webhook, now: number) {
    const heldUntil = isMended(before, after) ? 0 : before.traffic.heldUntil;
    const watched = { ...after, traffic: { ...before.traffic, heldUntil } };
    const data = presentWatchedWebhook(watched, now);
    return { status: 200 as const, headers: {}, body: { data } };
  }

  return {
    async create({ caller, body, claim }) {
      const moment = present(clock, newId);
      const secret = newEndpointSecret();
      const request = { accountId: caller.accountId, claim, moment };
      const { answer, replayed } = await webhooks.addWebhook(request, (registered) => {
        requireRoom(registered);
        const webhook = registerWebhook(caller, body, policy, secret, moment);
        return {
          webhook,
          answer: {
            status: 201 as const,
            headers: { Location: `/v1/webhooks/${webhook.id}` },
            body: { data: presentCreatedWebhook(webhook) },
          },
        };
      });
      return replayed ? markReplayed(answer) : answer;
    },

    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const after = query.cursor ? readCursor(query.cursor, 'whk') : null;
      const page = { after, limit: limit + 1 };
      const found = await webhooks.listWebhooks(caller.accountId, page);
      const { items, nextCursor } = cutPage(found, limit);
      const data = items.map((item) => presentWatchedWebhook(item, clock.now()));
      return { status: 200, body: { data, nextCursor } };
    },

    async get({ caller, params }) {
      const found = await webhooks.findWebhook(caller.accountId, params.id);
      if (found === null) throw webhookNotFound(params.id);
      return { status: 200, body: { data: presentWatchedWebhook(found, clock.now()) } };
    },

    async update({ caller, params, body }) {
      const moment = present(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, claim: null, moment };
      const { answer } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = updateWebhook(found, body, policy, moment.now);
        return { webhook, answer: shown(found, webhook, moment.now) };
      });
      return answer;
    },

    async remove({ caller, params }) {
      const had = await webhooks.removeWebhook(caller.accountId, params.id, clock.now());
      if (!had) throw webhookNotFound(params.id);
      return { status: 204, body: undefined };
    },

    async stageSecret({ caller, params, claim }) {
      const moment = present(clock, newId);
      const secret = newEndpointSecret();
      const request = { accountId: caller.accountId, id: params.id, claim, moment };
      const { answer, replayed } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = stageSecret(found, secret, moment.now);
        const data = { webhookId: webhook.id, secret, stagedAt: timestamp(webhook.updatedAt) };
        return { webhook, answer: { status: 201 as const, headers: {}, body: { data } } };
      });
      return replayed ? markReplayed(answer) : answer;
    },

    async promoteSecret({ caller, params, claim }) {
      const moment = present(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, claim, moment };
      const { answer, replayed } = await webhooks.changeWebhook(request, (found) => {
        if (found === null) throw webhookNotFound(params.id);
        const webhook = promoteSecret(found, moment.now);
        return { webhook, answer: shown(found, webhook, moment.now) };
      });
      return replayed ? markReplayed(answer) : answer;
    },
  };
}
