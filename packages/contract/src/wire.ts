/**
 * The types, closed lists, header names and problem codes of the contract, and the method
 * and path of each endpoint: everything that needs no schema. It has no dependencies and is small
 * enough for clients to bundle.
 */
export * from './accounts/account';
export * from './accounts/key';
export * from './deliveries/delivery';
export * from './deliveries/position';
export * from './events/event';
export * from './events/sample-data';
export * from './events/test-event';
export * from './http/endpoints';
export * from './http/extensions';
export * from './http/headers';
export * from './notifications/notification';
export * from './orders/order';
export * from './orders/timeline';
export * from './partners/partner';
export * from './problems/problem';
export * from './summary/summary';
export * from './webhooks/webhook';
export * from './webhooks/webhook-stats';
