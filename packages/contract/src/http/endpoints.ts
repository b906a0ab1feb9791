/**
 * Method and path of each endpoint. The ts-rest contract and the SDK both take them from here, so
 * that the SDK follows the contract without carrying its schemas. Source: the interface, "Endpoints";
 * what it does not have there goes beyond it, and is marked as an extension in the contract.
 */
export const endpoints = {
  orders: {
    list: { method: 'GET', path: '/v1/orders' },
    create: { method: 'POST', path: '/v1/orders' },
    get: { method: 'GET', path: '/v1/orders/:id' },
    update: { method: 'PATCH', path: '/v1/orders/:id' },
  },
  notifications: {
    list: { method: 'GET', path: '/v1/notifications' },
    update: { method: 'PATCH', path: '/v1/notifications/:id' },
  },
  webhooks: {
    create: { method: 'POST', path: '/v1/webhooks' },
    list: { method: 'GET', path: '/v1/webhooks' },
    get: { method: 'GET', path: '/v1/webhooks/:id' },
    update: { method: 'PATCH', path: '/v1/webhooks/:id' },
    remove: { method: 'DELETE', path: '/v1/webhooks/:id' },
    stageSecret: { method: 'POST', path: '/v1/webhooks/:id/secret' },
    promoteSecret: { method: 'POST', path: '/v1/webhooks/:id/secret/promote' },
    test: { method: 'POST', path: '/v1/webhooks/:id/test' },
  },
  deliveries: {
    list: { method: 'GET', path: '/v1/deliveries' },
    get: { method: 'GET', path: '/v1/deliveries/:id' },
    replay: { method: 'POST', path: '/v1/deliveries/:id/replay' },
  },
  events: {
    list: { method: 'GET', path: '/v1/events' },
  },
  account: {
    get: { method: 'GET', path: '/v1/account' },
  },
} as const;
