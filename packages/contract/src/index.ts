/**
 * The contract of the service: ts-rest routes, and all that `@tradepost/contract/schemas` has, which
 * is the zod schemas of everything that goes over the wire and all that `@tradepost/contract/wire` has.
 *
 * @example
 * import { contract, orderSchema } from '@tradepost/contract';
 * contract.orders.update.path; // '/v1/orders/:id'
 * orderSchema.parse(JSON.parse(text).data);
 */
export { contract } from './contract';
export type { RouteNotes } from './http/route-notes';
export { commonProblems, problemResponses } from './problems/problem-responses';
export * from './schemas';
