import { z } from 'zod';
import { eventKindSchema } from '../events/event-schemas';
import { timestampSchema, webhookIdSchema } from '../field-schemas';
import { bodySchema } from '../http/request-schemas';
import { webhookStatuses } from './webhook';

/** Schema of `Webhook`. */
export const webhookSchema = z
  .object({
    id: webhookIdSchema,
    url: z.string().meta({ examples: ['https://receiver.example/tradepost'] }),
    events: z.array(eventKindSchema),
    status: z
      .enum(webhookStatuses)
      .meta({ id: 'WebhookStatus', description: 'A paused webhook receives nothing.' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Webhook', description: 'A registered endpoint.' });

/** Schema of `CreatedWebhook`. */
export const createdWebhookSchema = webhookSchema
  .extend({
    secret: z
      .string()
      .regex(/^whsec_[0-9A-Za-z+/]{43}=$/)
      .meta({ description: 'Keys `Service-Signature`. Told only in this answer.' }),
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its endpoint secret.' });

const urlError = 'must be an absolute https:// URL of at most 2048 characters';

/** Where deliveries go. Whether the address may be reached, and over http, is the server's own policy. */
const receiverUrlSchema = z
  .string({ error: urlError })
  .max(2048, { error: urlError })
  // URL itself forgives spaces, line breaks and a missing "//"; a stored address must say what it means.
  .refine((text) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text), {
    error: urlError,
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error: 'must not contain credentials: deliveries are authenticated by their signature',
  })
  .refine((text) => !text.includes('#'), { error: 'must not have a fragment: it is never sent' })
  .meta({ format: 'uri', examples: ['https://receiver.example/tradepost'] });

/** Schema of `CreateWebhook`. */
export const createWebhookSchema = bodySchema({
  url: receiverUrlSchema,
  events: z
    .array(eventKindSchema, { error: 'must be a list of event kinds' })
    .min(1, { error: 'must name at least one event kind' })
    .refine((kinds) => new Set(kinds).size === kinds.length, {
      error: 'must name each event kind once',
    })
    .meta({ uniqueItems: true }),
}).meta({ id: 'CreateWebhook' });
