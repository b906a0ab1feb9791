/**
 * Method and path of each endpoint. The ts-rest contract and the SDK both take them from here, so
 * that the SDK follows the contract without carrying its schemas. Source: the interface, "Endpoints".
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
  },
} as const;
