import { type IdPrefix, smallestIdAt } from '../kernel/context';
import {
  formatPosition,
  type PruneStep,
  parsePosition,
  type RetentionStore,
  type ScanPruned,
} from '../retention/retention-store';
import { type MemoryData, newestFirst } from './memory-data';

const atOnce = { busyMs: 0, waitedMs: 0 };

/** Runs one step of a scan. */
function scan<Item extends { id: string }>(
  items: Map<string, Item>,
  prefix: IdPrefix,
  { after, before, limit }: PruneStep,
  isRemovable: (item: Item) => boolean,
  floor = '',
): { removed: Item[]; result: ScanPruned } {
  const [from, to] = [after ?? '', smallestIdAt(prefix, before)];
  const scanned = [...items.values()]
    .filter(({ id }) => id > from && id > floor && id < to)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit);
  const removed = scanned.filter(isRemovable);
  for (const { id } of removed) items.delete(id);
  const next = scanned.at(-1)?.id ?? after;
  const done = scanned.length < limit;
  return { removed, result: { removed: removed.length, next, done, isCut: false, ...atOnce } };
}

/** Creates the store that removes old data. */
export function createMemoryRetentionStore(data: MemoryData): RetentionStore {
  const { deliveries, notifications, events, webhooks, responses } = data;

  function isReferenced(eventId: string): boolean {
    const references = [...deliveries.values(), ...notifications.values()];
    return references.some((one) => one.eventId === eventId);
  }

  function removeUnreferenced(references: readonly { eventId: string }[], before: number): void {
    const floor = smallestIdAt('evt', before);
    const ids = references.map(({ eventId }) => eventId);
    data.removeEvents(new Set(ids.filter((id) => id < floor && !isReferenced(id))));
  }

  return {
    async pruneDeliveries(step) {
      const isOld = ({ finishedAt }: { finishedAt: number | null }) =>
        finishedAt !== null && finishedAt < step.before;
      const { removed, result } = scan(deliveries, 'dlv', step, isOld);
      for (const delivery of removed) data.removeDelivery(delivery);
      removeUnreferenced(removed, step.eventsBefore);
      return result;
    },

    async pruneEvents(step) {
      const { removed, result } = scan(events, 'evt', step, ({ id }) => !isReferenced(id));
      data.removeEvents(new Set(removed.map(({ id }) => id)));
      return result;
    },

    async pruneNotifications(step) {
      const isRemovable = ({ read }: { read: boolean }) => step.unread || read;
      const floor = smallestIdAt('ntf', step.since ?? 0);
      const { removed, result } = scan(notifications, 'ntf', step, isRemovable, floor);
      removeUnreferenced(removed, step.eventsBefore);
      return result;
    },

    async findRetainingAccount(after) {
      const found = [...data.accounts.values()]
        .filter(({ id }) => id > (after ?? ''))
        .sort((one, other) => (one.id < other.id ? -1 : 1))
        .find((one) => one.keepDeliveries !== null || one.keepNotifications !== null);
      if (found === undefined) return null;
      const { id, keepDeliveries, keepNotifications, keepUnreadNotifications } = found;
      const webhookIds = [...webhooks.values()]
        .filter(({ accountId, isDeleted }) => accountId === id && !isDeleted)
        .map((webhook) => webhook.id);
      return { id, keepDeliveries, keepNotifications, keepUnreadNotifications, webhookIds };
    },

    async pruneWebhookDeliveries({ webhookId, state, after, before, eventsBefore, limit }) {
      const from = parsePosition(after);
      const scanned = [...data.getQueue(webhookId).deliveries]
        .filter((one) => one.state === state && one.createdAt < before)
        .filter((one) => newestFirst(one, from) < 0)
        .sort((one, other) => newestFirst(other, one))
        .slice(0, limit);
      const removed = scanned.filter(({ finishedAt }) => Number(finishedAt) < before);
      for (const delivery of removed) data.removeDelivery(delivery);
      removeUnreferenced(removed, eventsBefore);
      const last = scanned.at(-1);
      const next = last ? formatPosition(last) : after;
      const done = scanned.length < limit;
      return { removed: removed.length, next, done, isCut: false, ...atOnce };
    },

    async pruneAccountNotifications({ accountId, read, before, eventsBefore, limit }) {
      const removed = [...notifications.values()]
        .filter((one) => one.accountId === accountId && one.read === read)
        .filter(({ createdAt }) => createdAt < before)
        .sort((one, other) => newestFirst(other, one))
        .slice(0, limit);
      for (const { id } of removed) notifications.delete(id);
      removeUnreferenced(removed, eventsBefore);
      return { removed: removed.length, ...atOnce };
    },

    pruneAuditLog: async (step) => scan(data.audit, 'aud', step, () => true).result,

    async pruneIdempotencyKeys({ now, limit }) {
      const expired = [...responses]
        .filter(([, { expiresAt }]) => expiresAt <= now)
        .slice(0, limit);
      for (const [name] of expired) responses.delete(name);
      return { removed: expired.length, ...atOnce };
    },

    async pruneSignIns({ codesBefore, sessionsBefore, limit }) {
      const codes = [...data.signInCodes.values()].filter((one) => one.expiresAt <= codesBefore);
      const sessions = [...data.keys.values()].filter(
        ({ isSession, expiresAt }) => isSession && Number(expiresAt) <= sessionsBefore,
      );
      for (const { hash } of codes.slice(0, limit)) data.signInCodes.delete(hash);
      for (const { id } of sessions.slice(0, limit)) data.keys.delete(id);
      const removed = Math.min(codes.length, limit) + Math.min(sessions.length, limit);
      return { removed, ...atOnce };
    },

    async pruneRemovedWebhooks({ limit }) {
      const webhook = [...webhooks.values()].find(({ isDeleted }) => isDeleted);
      if (webhook === undefined) return { removed: 0, ...atOnce };
      const rest = [...data.getQueue(webhook.id).deliveries];
      for (const delivery of rest.slice(0, limit)) data.removeDelivery(delivery);
      if (rest.length >= limit) return { removed: limit, ...atOnce };
      const stats = data.removeStats(({ webhookId }) => webhookId === webhook.id, limit);
      if (rest.length + stats >= limit) return { removed: rest.length + stats, ...atOnce };
      webhooks.delete(webhook.id);
      data.queues.delete(webhook.id);
      return { removed: rest.length + stats + 1, ...atOnce };
    },

    async pruneStats({ width, before, limit }) {
      const isOld = (row: { width: number; start: number }) =>
        row.width === width && row.start < before;
      return { removed: data.removeStats(isOld, limit), ...atOnce };
    },

    eraseDeleted: async () => true,
  };
}
