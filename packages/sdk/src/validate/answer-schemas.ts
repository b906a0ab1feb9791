import {
  accountSchema,
  dataSchema,
  deliveryDetailsSchema,
  deliverySchema,
  type endpoints,
  eventKindSchema,
  eventsPageSchema,
  notificationSchema,
  orderSchema,
  pageSchema,
  stagedSecretSchema,
  webhookDetailsSchema,
} from '@tradepost/contract/schemas';
import * as z from 'zod';

/** The bodies that an endpoint may succeed with, by status; null where there is none to check. */
export type AnswerSchemas = Readonly<Record<number, z.ZodType | null>>;

/** A list as a service may answer it that has no more than the interface: all of it, without a cursor. */
function listSchema(item: z.ZodType) {
  return pageSchema(item).partial({ nextCursor: true });
}

/** The interface names one type and says that there may be others: any text is one. */
const anyNotificationSchema = notificationSchema.extend({ type: z.string() });

/** The interface does not show the stored record: what has a meaning in it is held to that, if it is there. */
const anyWebhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(eventKindSchema),
    secret: z.string().min(1),
  })
  .partial();

/**
 * What each endpoint of the contract may succeed with. A test holds it to the contract's routes, which
 * it cannot take it from: they come with ts-rest.
 *
 * Where the interface leaves to the service what an answer has, more is accepted than the contract
 * says: on its seven endpoints a list may lack `nextCursor`, the record of a created webhook may have
 * any fields, and a notification may be of any type. Its other silences (success statuses, how an id
 * goes on after its prefix, how large a quantity may be) are filled by the contract. The extensions are
 * the contract's alone, and held to every word of it.
 */
export const answerSchemas: {
  readonly [Noun in keyof typeof endpoints]: {
    readonly [Verb in keyof (typeof endpoints)[Noun]]: AnswerSchemas;
  };
} = {
  orders: {
    list: { 200: listSchema(orderSchema) },
    create: { 201: dataSchema(orderSchema) },
    get: { 200: dataSchema(orderSchema) },
    update: { 200: dataSchema(orderSchema) },
  },
  notifications: {
    list: { 200: listSchema(anyNotificationSchema) },
    update: { 200: dataSchema(anyNotificationSchema) },
  },
  webhooks: {
    create: { 201: dataSchema(anyWebhookSchema) },
    list: { 200: pageSchema(webhookDetailsSchema) },
    get: { 200: dataSchema(webhookDetailsSchema) },
    update: { 200: dataSchema(webhookDetailsSchema) },
    remove: { 204: null },
    stageSecret: { 201: dataSchema(stagedSecretSchema) },
    promoteSecret: { 200: dataSchema(webhookDetailsSchema) },
    test: { 202: dataSchema(deliverySchema) },
  },
  deliveries: {
    list: { 200: pageSchema(deliverySchema) },
    get: { 200: dataSchema(deliveryDetailsSchema) },
    replay: { 202: dataSchema(deliverySchema) },
  },
  events: {
    list: { 200: eventsPageSchema },
  },
  account: {
    get: { 200: dataSchema(accountSchema) },
  },
};
