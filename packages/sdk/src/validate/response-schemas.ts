import {
  accountEventResponseSchema,
  accountResponseSchema,
  apiKeyPageSchema,
  createdApiKeyResponseSchema,
  deliveryDetailsResponseSchema,
  deliveryPageSchema,
  deliveryResponseSchema,
  type endpoints,
  envelopeSchema,
  eventPageSchema,
  eventTypeSchema,
  markedNotificationsResponseSchema,
  notificationSchema,
  orderPageSchema,
  orderResponseSchema,
  orderTimelineResponseSchema,
  pageSchema,
  partnerPageSchema,
  replayedDeliveriesResponseSchema,
  sessionResponseSchema,
  signInCodeResponseSchema,
  stagedSecretResponseSchema,
  summaryResponseSchema,
  webhookPageSchema,
  webhookResponseSchema,
  webhookStatsResponseSchema,
} from '@tradepost/contract/schemas';
import * as z from 'zod';

/** The schemas of an endpoint's successful bodies, by status; null for a response without a body. */
export type ResponseSchemas = Readonly<Record<number, z.ZodType | null>>;

/** A list, also of a service without extensions: all items, without a cursor. */
function listSchema(item: z.ZodType) {
  return pageSchema(item).partial({ nextCursor: true });
}

/** The API specification names one type and says that there may be others: any text is valid. */
const anyNotificationSchema = notificationSchema.extend({ type: z.string() });

/** The API specification does not define the stored record: known fields are validated if present. */
const anyWebhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(eventTypeSchema),
    secret: z.string().min(1),
  })
  .partial();

/**
 * The schemas of the successful responses of each endpoint. A test compares them with the contract's routes,
 * which are not imported because they load ts-rest.
 *
 * The seven endpoints of the API specification accept more than the contract where the specification leaves
 * it open: a list may lack `nextCursor`, the record of a created webhook may have any fields, and a
 * notification may have any type. For its other gaps (success statuses, the format of IDs after their
 * prefix, the bounds of quantities) the contract decides. Extensions must match the contract exactly.
 */
export const responseSchemas: {
  readonly [Noun in keyof typeof endpoints]: {
    readonly [Verb in keyof (typeof endpoints)[Noun]]: ResponseSchemas;
  };
} = {
  orders: {
    list: { 200: orderPageSchema.partial({ nextCursor: true }) },
    create: { 201: orderResponseSchema },
    get: { 200: orderResponseSchema },
    update: { 200: orderResponseSchema },
    timeline: { 200: orderTimelineResponseSchema },
  },
  notifications: {
    list: { 200: listSchema(anyNotificationSchema) },
    update: { 200: envelopeSchema(anyNotificationSchema) },
    markAllRead: { 200: markedNotificationsResponseSchema },
  },
  webhooks: {
    create: { 201: envelopeSchema(anyWebhookSchema) },
    list: { 200: webhookPageSchema },
    get: { 200: webhookResponseSchema },
    stats: { 200: webhookStatsResponseSchema },
    update: { 200: webhookResponseSchema },
    delete: { 204: null },
    stageSecret: { 201: stagedSecretResponseSchema },
    promoteSecret: { 200: webhookResponseSchema },
    test: { 202: deliveryResponseSchema },
    replayDeliveries: { 202: replayedDeliveriesResponseSchema },
  },
  deliveries: {
    list: { 200: deliveryPageSchema },
    get: { 200: deliveryDetailsResponseSchema },
    replay: { 202: deliveryResponseSchema },
  },
  events: {
    list: { 200: eventPageSchema },
    get: { 200: accountEventResponseSchema },
  },
  partners: {
    list: { 200: partnerPageSchema },
  },
  account: {
    get: { 200: accountResponseSchema },
  },
  summary: {
    get: { 200: summaryResponseSchema },
  },
  keys: {
    list: { 200: apiKeyPageSchema },
    create: { 201: createdApiKeyResponseSchema },
    revoke: { 204: null },
  },
  signInCodes: {
    create: { 201: signInCodeResponseSchema },
  },
  sessions: {
    create: { 201: sessionResponseSchema },
  },
};
