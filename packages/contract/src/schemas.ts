/**
 * The zod schemas of all requests, responses and deliveries, and everything of `@tradepost/contract/wire`.
 * It has no routes, so it loads zod and nothing else.
 */
export * from './accounts/account-schemas';
export * from './accounts/key-schemas';
export * from './deliveries/delivery-schemas';
export * from './events/event-schemas';
export * from './http/field-schemas';
export {
  cursorSchema,
  envelopeSchema,
  idempotencyKeySchema,
  ifMatchSchema,
  limitSchema,
  maxHeaders,
  pageSchema,
} from './http/message-schemas';
export * from './notifications/notification-schemas';
export * from './orders/order-schemas';
export * from './orders/timeline-schemas';
export * from './partners/partner-schemas';
export * from './problems/problem-schema';
export * from './summary/summary-schemas';
export * from './webhooks/webhook-schemas';
export * from './webhooks/webhook-stats-schemas';
export * from './wire';
