/**
 * Method and path of each endpoint. The ts-rest contract and the SDK both read them from here, so that
 * the SDK follows the contract without its schemas. Source: API specification, "Endpoints". Endpoints
 * that the specification does not have are extensions, and the contract marks them so.
 */
export const endpoints = {
  orders: {
    list: { method: 'GET', path: '/v1/orders' },
    create: { method: 'POST', path: '/v1/orders' },
    get: { method: 'GET', path: '/v1/orders/:id' },
    update: { method: 'PATCH', path: '/v1/orders/:id' },
    timeline: { method: 'GET', path: '/v1/orders/:id/timeline' },
  },
  notifications: {
    list: { method: 'GET', path: '/v1/notifications' },
    update: { method: 'PATCH', path: '/v1/notifications/:id' },
    markAllRead: { method: 'POST', path: '/v1/notifications/read' },
  },
  webhooks: {
    create: { method: 'POST', path: '/v1/webhooks' },
    list: { method: 'GET', path: '/v1/webhooks' },
    get: { method: 'GET', path: '/v1/webhooks/:id' },
    stats: { method: 'GET', path: '/v1/webhooks/:id/stats' },
    update: { method: 'PATCH', path: '/v1/webhooks/:id' },
    delete: { method: 'DELETE', path: '/v1/webhooks/:id' },
    stageSecret: { method: 'POST', path: '/v1/webhooks/:id/secret' },
    promoteSecret: { method: 'POST', path: '/v1/webhooks/:id/secret/promote' },
    test: { method: 'POST', path: '/v1/webhooks/:id/test' },
    replayDeliveries: { method: 'POST', path: '/v1/webhooks/:id/replays' },
  },
  deliveries: {
    list: { method: 'GET', path: '/v1/deliveries' },
    get: { method: 'GET', path: '/v1/deliveries/:id' },
    replay: { method: 'POST', path: '/v1/deliveries/:id/replay' },
  },
  events: {
    list: { method: 'GET', path: '/v1/events' },
    get: { method: 'GET', path: '/v1/events/:id' },
  },
  partners: {
    list: { method: 'GET', path: '/v1/partners' },
  },
  account: {
    get: { method: 'GET', path: '/v1/account' },
  },
  summary: {
    get: { method: 'GET', path: '/v1/summary' },
  },
  keys: {
    list: { method: 'GET', path: '/v1/keys' },
    create: { method: 'POST', path: '/v1/keys' },
    revoke: { method: 'DELETE', path: '/v1/keys/:id' },
  },
  signInCodes: {
    create: { method: 'POST', path: '/v1/sign-in-codes' },
  },
  sessions: {
    create: { method: 'POST', path: '/v1/sessions' },
  },
} as const;

/** How many items a page of a list may have. */
export const pageLimit = { min: 1, max: 100, default: 50 } as const;

/** How many deliveries one request may replay. */
export const replayLimit = { min: 1, max: 500, default: 100 } as const;

/** How many notifications one request marks as read at most. */
export const markReadLimit = 1_000;

/** How large a request may be, in bytes. A larger body is a 413, larger headers with the request line are a 431. */
export const requestLimits = { bodyBytes: 65_536, headerBytes: 16_384 } as const;

/** One page of a list, newest first. */
export interface Page<Item> {
  /** The items of this page. */
  data: Item[];
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}
