/**
 * The contract of the service: ts-rest routes, the zod schemas of everything that goes over the
 * wire, and all that `@tradepost/contract/wire` has.
 *
 * @example
 * import { contract, orderSchema } from '@tradepost/contract';
 * contract.orders.update.path; // '/v1/orders/:id'
 * orderSchema.parse(JSON.parse(text).data);
 */
export { contract } from './contract';
export * from './deliveries/delivery-schemas';
export * from './events/account-event-schemas';
export * from './events/event-schemas';
export * from './field-schemas';
export * from './http/page-schemas';
export * from './http/request-headers';
export type { RouteNotes } from './http/route-notes';
export * from './notifications/notification-schemas';
export * from './orders/order-schemas';
export * from './problems/problem-schema';
export * from './webhooks/webhook-schemas';
export * from './wire';
