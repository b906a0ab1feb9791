import type { Extension } from './extensions';

/** What each extension covers: endpoints, as keys of `endpoints`, and parameters and fields of other endpoints. */
export const extensionParts = {
  account: ['account.get'],
  deliveries: ['deliveries.list', 'deliveries.get', 'deliveries.replay'],
  'deliveries.replays': ['webhooks.replayDeliveries'],
  events: ['events.list', 'events.get'],
  'events.actor': ['events.list: actor', 'events.get: actor'],
  keys: ['keys.list', 'keys.create', 'keys.revoke'],
  'notifications.filters': ['notifications.list: read'],
  'notifications.read': ['notifications.markAllRead'],
  'orders.count': ['orders.list: count'],
  'orders.etag': ['orders.list: expand=etag', 'orders.get: expand=etag'],
  /** The names. */
  'orders.expand': ['orders.list: expand', 'orders.get: expand'],
  /** Also several statuses in `status`. */
  'orders.filters': [
    'orders.list: buyerId, sellerId, listingId, minQuantity, maxQuantity, createdAfter, createdBefore, updatedAfter',
  ],
  'orders.reason': ['orders.update: reason'],
  'orders.sort': ['orders.list: sort'],
  'orders.timeline': ['orders.timeline'],
  paging: ['orders.list: limit, cursor', 'notifications.list: limit, cursor'],
  partners: ['partners.list'],
  summary: ['summary.get'],
  sessions: ['signInCodes.create', 'sessions.create'],
  /** Also the event `webhook.disabled`, and notifications of it. */
  'webhooks.disabling': [
    'webhooks.list: disabledAt',
    'webhooks.get: disabledAt',
    'webhooks.update: disabledAt',
  ],
  'webhooks.manage': ['webhooks.list', 'webhooks.get', 'webhooks.update', 'webhooks.delete'],
  'webhooks.secrets': ['webhooks.stageSecret', 'webhooks.promoteSecret'],
  'webhooks.settings': [
    'webhooks.create: description, headers, attemptsPerMinute',
    'webhooks.update: description, headers, attemptsPerMinute',
  ],
  'webhooks.stats': ['webhooks.stats', 'webhooks.list: expand'],
  'webhooks.test': ['webhooks.test'],
} as const satisfies Record<Extension, readonly string[]>;
