/**
 * What goes over the wire, without a schema or a dependency: the shapes, the closed lists, the
 * names of headers, the method and path of each endpoint. Clients build on this entry; it weighs
 * next to nothing. The schemas that check these shapes are in the main entry.
 */
export * from './accounts/account';
export * from './deliveries/delivery';
export * from './events/account-event';
export * from './events/webhook-event';
export * from './http/endpoints';
export * from './http/headers';
export * from './http/page';
export * from './notifications/notification';
export * from './orders/order';
export * from './problems/problem';
export * from './webhooks/webhook';
