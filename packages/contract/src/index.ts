/**
 * The contract of the service: its ts-rest routes, and everything of `@tradepost/contract/schemas` and
 * `@tradepost/contract/wire`.
 *
 * @example
 * import { contract, orderSchema } from '@tradepost/contract';
 * contract.orders.update.path; // '/v1/orders/:id'
 * orderSchema.parse(JSON.parse(text).data);
 */
export { contract } from './contract';
export * from './deliveries/attempt-errors';
export * from './events/event-facts';
export { commonProblems, problemResponses, type RouteMetadata } from './http/routes';
export * from './schemas';
