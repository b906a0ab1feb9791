/**
 * The zod schemas of everything that goes over the wire, and all that `@tradepost/contract/wire` has.
 * Without the routes: it loads zod and nothing else. Who checks what came over the wire builds on it.
 */
export * from './accounts/account-schemas';
export * from './deliveries/delivery-schemas';
export * from './events/account-event-schemas';
export * from './events/event-schemas';
export * from './field-schemas';
export * from './http/page-schemas';
export * from './http/request-headers';
export * from './notifications/notification-schemas';
export * from './orders/order-schemas';
export * from './problems/problem-schema';
export * from './webhooks/webhook-schemas';
export * from './wire';
