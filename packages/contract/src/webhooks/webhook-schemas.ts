import * as z from 'zod';
import { eventKindSchema } from '../events/event-schemas';
import { timestampSchema, webhookIdSchema } from '../field-schemas';
import { cursorSchema, limitSchema } from '../http/page-schemas';
import { bodySchema, querySchema } from '../http/request-schemas';
import { receiverUrlSchema } from './receiver-url-schema';
import { webhookStatuses } from './webhook';

const secretSchema = z.string().regex(/^whsec_[0-9A-Za-z+/]{43}=$/);

/** `active` or `paused`. */
export const webhookStatusSchema = z
  .enum(webhookStatuses, { error: `must be one of ${webhookStatuses.join(', ')}` })
  .meta({ id: 'WebhookStatus', description: 'A paused webhook receives nothing.' });

/** Schema of `Webhook`. */
export const webhookSchema = z
  .object({
    id: webhookIdSchema,
    url: z.string().meta({ examples: ['https://receiver.example/tradepost'] }),
    events: z.array(eventKindSchema),
    status: webhookStatusSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Webhook', description: 'A registered endpoint.' });

/** Schema of `CreatedWebhook`. */
export const createdWebhookSchema = webhookSchema
  .extend({
    secret: secretSchema.meta({
      description: 'Keys `Service-Signature`. Told only in this answer.',
    }),
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its endpoint secret.' });

/** Schema of `WebhookDetails`. */
export const webhookDetailsSchema = webhookSchema
  .extend({
    stagedSecretAt: timestampSchema
      .nullable()
      .meta({ description: 'When a new secret was staged; null when none is.' }),
    pendingDeliveries: z
      .int()
      .min(0)
      .meta({ description: 'How many deliveries wait to be sent or sent again.' }),
    consecutiveFailures: z.int().min(0).meta({
      description:
        'Failed attempts since the last success; those that were under way together count as one.',
    }),
    heldUntil: timestampSchema.nullable().meta({
      description:
        'An endpoint that keeps failing, or asks for time, gets no attempt before this moment; null when nothing holds it.',
    }),
  })
  .meta({ id: 'WebhookDetails', description: 'A webhook with how its deliveries fare.' });

/** Schema of `StagedSecret`. */
export const stagedSecretSchema = z
  .object({
    webhookId: webhookIdSchema,
    secret: secretSchema.meta({
      description: 'Keys `Service-Signature` once it is promoted. Told only in this answer.',
    }),
    stagedAt: timestampSchema,
  })
  .meta({ id: 'StagedSecret', description: 'A secret that is to follow the current one.' });

const subscriptionSchema = z
  .array(eventKindSchema, { error: 'must be a list of event kinds' })
  .min(1, { error: 'must name at least one event kind' })
  .refine((kinds) => new Set(kinds).size === kinds.length, {
    error: 'must name each event kind once',
  })
  .meta({ uniqueItems: true });

/** Schema of `CreateWebhook`. */
export const createWebhookSchema = bodySchema({
  url: receiverUrlSchema,
  events: subscriptionSchema,
}).meta({ id: 'CreateWebhook' });

/** Schema of `UpdateWebhook`. */
export const updateWebhookSchema = bodySchema({
  url: receiverUrlSchema.exactOptional(),
  events: subscriptionSchema.exactOptional(),
  status: webhookStatusSchema.exactOptional(),
})
  .refine((changes) => Object.keys(changes).length > 0, {
    error: 'must have at least one of url, events, status',
  })
  .meta({ id: 'UpdateWebhook', minProperties: 1 });

/** Schema of `TestWebhook`. */
export const testWebhookSchema = bodySchema({ event: eventKindSchema }).meta({ id: 'TestWebhook' });

/** Schema of `ListWebhooks`. */
export const listWebhooksSchema = querySchema({
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
