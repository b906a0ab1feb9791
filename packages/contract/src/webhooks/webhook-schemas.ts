import * as z from 'zod';
import { eventTypeSchema } from '../events/event-schemas';
import { timestampSchema, webhookIdSchema } from '../http/field-schemas';
import { bodySchema, cursorSchema, limitSchema, querySchema } from '../http/message-schemas';
import { webhookStatuses } from './webhook';

const secretSchema = z.string().regex(/^whsec_[0-9A-Za-z+/]{43}=$/);

const urlError = 'must be an absolute https:// URL of at most 2048 characters';

/**
 * The URL of a receiver. Whether its address may be reached, and over http, is a policy of the server.
 */
const receiverUrlSchema = z
  .string({ error: urlError })
  .max(2048, { error: urlError })
  // `URL` accepts spaces, line breaks and a missing "//"; a stored URL must be unambiguous.
  .refine((text) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text), {
    error: urlError,
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error: 'must not contain credentials: deliveries are authenticated by their signature',
  })
  .refine((text) => !text.includes('#'), { error: 'must not have a fragment: it is never sent' })
  .meta({ format: 'uri', examples: ['https://receiver.example/tradepost'] });

/** Schema of `WebhookStatus`. */
export const webhookStatusSchema = z
  .enum(webhookStatuses, { error: `must be one of ${webhookStatuses.join(', ')}` })
  .meta({ id: 'WebhookStatus', description: 'A paused webhook receives no deliveries.' });

/** Schema of `Webhook`. */
export const webhookSchema = z
  .object({
    id: webhookIdSchema,
    url: z.string().meta({ examples: ['https://receiver.example/tradepost'] }),
    events: z.array(eventTypeSchema),
    status: webhookStatusSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Webhook', description: 'A registered endpoint.' });

/** Schema of `CreatedWebhook`. */
export const createdWebhookSchema = webhookSchema
  .extend({
    secret: secretSchema.meta({
      description:
        'The signing secret, the key of `Service-Signature`. Only this response contains it.',
    }),
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its signing secret.' });

/** Schema of `WebhookDetails`. */
export const webhookDetailsSchema = webhookSchema
  .extend({
    stagedSecretAt: timestampSchema
      .nullable()
      .meta({ description: 'When a new secret was staged. Null when there is no staged secret.' }),
    pendingDeliveries: z
      .int()
      .min(0)
      .meta({ description: 'Number of deliveries that wait for their first or next attempt.' }),
    consecutiveFailures: z.int().min(0).meta({
      description:
        'Failed attempts since the last success. Attempts that were in flight together count as one.',
    }),
    backoffUntil: timestampSchema.nullable().meta({
      description:
        'No attempt is made before this time, because the endpoint keeps failing or sent `Retry-After`. Null when there is no backoff.',
    }),
  })
  .meta({ id: 'WebhookDetails', description: 'A webhook with its delivery statistics.' });

/** Schema of `StagedSecret`. */
export const stagedSecretSchema = z
  .object({
    webhookId: webhookIdSchema,
    secret: secretSchema.meta({
      description:
        'The key of `Service-Signature` once it is promoted. Only this response contains it.',
    }),
    stagedAt: timestampSchema,
  })
  .meta({ id: 'StagedSecret', description: 'A signing secret that will replace the current one.' });

const eventsSchema = z
  .array(eventTypeSchema, { error: 'must be a list of event types' })
  .min(1, { error: 'must have at least one event type' })
  .refine((types) => new Set(types).size === types.length, {
    error: 'must have each event type only once',
  })
  .meta({ uniqueItems: true });

/** Schema of `CreateWebhook`. */
export const createWebhookSchema = bodySchema({
  url: receiverUrlSchema,
  events: eventsSchema,
}).meta({ id: 'CreateWebhook' });

/** Schema of `UpdateWebhook`. */
export const updateWebhookSchema = bodySchema({
  url: receiverUrlSchema.exactOptional(),
  events: eventsSchema.exactOptional(),
  status: webhookStatusSchema.exactOptional(),
})
  .refine((changes) => Object.keys(changes).length > 0, {
    error: 'must have at least one of url, events, status',
  })
  .meta({ id: 'UpdateWebhook', minProperties: 1 });

/** Schema of `SendTestEvent`. */
export const sendTestEventSchema = bodySchema({ event: eventTypeSchema }).meta({
  id: 'SendTestEvent',
});

/** Schema of `ListWebhooks`. */
export const listWebhooksSchema = querySchema({
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
