import {
  failuresBeforeBackoff,
  newEndpointHealth,
  resumedHealth,
} from '../deliveries/endpoint-health';
import { missingRecord } from '../kernel/errors';
import { sumCounts } from '../webhooks/stats-counts';
import { resetHealth, type Webhook, type WebhookWithHealth } from '../webhooks/webhook';
import type { WebhookStore } from '../webhooks/webhook-store';
import { cutPage, type MemoryData, newestFirst, requireReference } from './memory-data';

/** Creates the store of webhooks. */
export function createMemoryWebhookStore(data: MemoryData): WebhookStore {
  const { webhooks, queues, announcements } = data;

  function withHealth({ isDeleted: __, ...webhook }: Webhook & { isDeleted: boolean }) {
    const { health, deliveries } = data.getQueue(webhook.id);
    const { concurrencyLimit: _, ...shown } = health;
    const pending = [...deliveries].filter(({ state }) => state === 'pending');
    return { ...webhook, health: { pending: pending.length, ...shown } };
  }

  /** Lists the webhooks of one account or of all, which were not deleted. */
  const list = (accountId?: string): WebhookWithHealth[] =>
    [...webhooks.values()]
      .filter((one) => !one.isDeleted && one.accountId === (accountId ?? one.accountId))
      .map(withHealth);

  const find = (accountId: string, id: string) =>
    list(accountId).find((webhook) => webhook.id === id) ?? null;

  /** The order of the last delivery that failed, or of the oldest one that waits. */
  function findFailedOrder(webhookId: string): string | null {
    const about = [...data.getQueue(webhookId).deliveries]
      .map(({ state, createdAt, id, eventId }) => {
        const orderId = data.events.get(eventId)?.orderId ?? null;
        return { state, createdAt, id, orderId };
      })
      .filter(({ orderId }) => orderId !== null)
      .sort(newestFirst);
    const failed = about.find(({ state }) => state === 'failed');
    return (failed ?? about.findLast(({ state }) => state === 'pending'))?.orderId ?? null;
  }

  return {
    async addWebhook({ accountId, idempotencyKey, context }, decide) {
      let id: string | null = null;
      const add = () => {
        const { webhook, response, audit } = decide(
          list(accountId).length,
          data.accounts.get(accountId)?.maxWebhooks ?? null,
        );
        requireReference(data.accounts, accountId);
        id = webhook.id;
        webhooks.set(id, { ...webhook, isDeleted: false });
        data.addAudit(audit);
        const paused = data.isHeld(webhook);
        queues.set(id, {
          webhookId: id,
          health: newEndpointHealth,
          rateUntil: 0,
          paused,
          deliveries: new Set(),
          leased: new Set(),
          nextAt: null,
        });
        return response;
      };
      return data.runIdempotent(idempotencyKey, context.now, add, () => id);
    },

    listWebhooks: async (accountId, page) => cutPage(list(accountId), page),

    listAllWebhooks: async (accountId) => list(accountId).sort(newestFirst),

    findWebhook: async (accountId, id) => find(accountId, id),

    async sumStats(webhookIds, { width, since, until, bucketMs }) {
      const rows = [...data.stats.values()].filter(
        (row) => row.width === width && row.start >= since && row.start < until,
      );
      const toBucket = ({ start }: { start: number }) => Math.floor((start - since) / bucketMs);
      return webhookIds.flatMap((webhookId) => {
        const own = rows.filter((row) => row.webhookId === webhookId);
        return [...new Set(own.map(toBucket))].map((bucket) => ({
          webhookId,
          bucket,
          ...sumCounts(own.filter((row) => toBucket(row) === bucket)),
        }));
      });
    },

    findOwner: async (id) => {
      const found = webhooks.get(id);
      return found === undefined || found.isDeleted ? null : found.accountId;
    },

    async changeStatus({ accountId, id, status, context: { now } }, audit) {
      const found = find(accountId, id);
      if (found === null || found.status === status) return false;
      const { health: _, ...webhook } = found;
      const updatedAt = Math.max(now, found.updatedAt);
      webhooks.set(id, { ...webhook, status, disabledAt: null, updatedAt, isDeleted: false });
      data.addAudit(audit);
      const queue = data.getQueue(id);
      queue.paused = data.isHeld({ accountId, status });
      if (status === 'active') queue.health = { ...queue.health, ...resumedHealth };
      data.settleQueues([id], now);
      announcements.notifyDeliveriesQueued();
      return true;
    },

    async changeWebhook({ accountId, id, idempotencyKey, context }, decide) {
      const change = () => {
        const found = find(accountId, id);
        const { webhook, response, audit } = decide(found);
        if (found === null) throw missingRecord('Webhook', id);
        const { health: _, ...changed } = webhook as WebhookWithHealth;
        webhooks.set(id, { ...changed, isDeleted: false });
        data.addAudit(audit);
        const queue = data.getQueue(id);
        queue.paused = data.isHeld(webhook);
        queue.health = { ...queue.health, ...resetHealth(found, webhook) };
        data.settleQueues([id], context.now);
        return response;
      };
      const result = data.runIdempotent(idempotencyKey, context.now, change, () => id);
      announcements.notifyDeliveriesQueued();
      return result;
    },

    async listFailing({ now, failingForMs, limit }) {
      return [...queues.values()]
        .filter(
          ({ paused, health: { failures, failingSince, failedAt } }) =>
            !paused &&
            failures >= failuresBeforeBackoff &&
            failingSince > 0 &&
            failingSince <= now - failingForMs &&
            failedAt - failingSince >= failingForMs,
        )
        .sort((one, other) => one.health.failingSince - other.health.failingSince)
        .slice(0, limit)
        .map(({ webhookId }) => webhookId);
    },

    async disableWebhook(id, context, decide) {
      const webhook = list().find((one) => one.id === id);
      const disabled = decide(webhook ? { webhook, orderId: findFailedOrder(id) } : null);
      if (disabled === null) return null;
      const { disabledAt } = disabled;
      const paused = { status: 'paused', disabledAt, updatedAt: disabledAt } as const;
      const { health: _, ...stored } = webhook as WebhookWithHealth;
      webhooks.set(id, { ...stored, ...paused, isDeleted: false });
      data.addAudit(disabled.audit);
      data.getQueue(id).paused = true;
      data.settleQueues([id], context.now);
      announcements.notifyEvents([disabled.event], data.addEvents([disabled.event], context));
      return disabled;
    },

    async deleteWebhook(accountId, id, now, audit) {
      const found = webhooks.get(id);
      if (found?.accountId !== accountId || found.isDeleted) return false;
      webhooks.set(id, {
        ...found,
        isDeleted: true,
        secret: '',
        stagedSecret: null,
        headers: {},
        headerNames: [],
      });
      data.addAudit(audit);
      for (const stored of data.responses.values())
        if (stored.webhookId === id) stored.response = null;
      data.getQueue(id).paused = true;
      data.settleQueues([id], now);
      return true;
    },
  };
}
