/**
 * The names of the extensions of the API. A service lists those that it has in `Tradepost-Extensions`, on every response,
 * separated by commas (RFC 9110, section 5.6.1). A service without the header has none of them: it has only the seven
 * endpoints of the API specification. `extensionParts` says what each covers.
 */
export const extensions = [
  'account',
  'deliveries',
  'deliveries.replays',
  'events',
  'events.actor',
  'keys',
  'notifications.filters',
  'notifications.read',
  'orders.count',
  'orders.etag',
  'orders.expand',
  'orders.filters',
  'orders.reason',
  'orders.sort',
  'orders.timeline',
  'paging',
  'partners',
  'sessions',
  'summary',
  'webhooks.disabling',
  'webhooks.manage',
  'webhooks.secrets',
  'webhooks.settings',
  'webhooks.stats',
  'webhooks.test',
] as const;

/** The name of one extension. */
export type Extension = (typeof extensions)[number];
