import { z } from 'zod';
import { eventKindSchema } from '../events/event-schemas';
import { timestampSchema, webhookIdSchema } from '../field-schemas';
import { webhookStatuses } from './webhook';

/** Schema of `Webhook`. */
export const webhookSchema = z
  .object({
    id: webhookIdSchema,
    url: z.string().meta({ example: 'https://receiver.example/tradepost' }),
    events: z.array(eventKindSchema),
    status: z.enum(webhookStatuses).meta({ id: 'WebhookStatus' }),
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

/** Schema of `CreateWebhook`. Whether the address may be reached is the server's own policy. */
export const createWebhookSchema = z
  .strictObject({
    url: z
      .string({ error: urlError })
      .max(2048, { error: urlError })
      .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
        error: urlError,
      })
      .meta({ format: 'uri', example: 'https://receiver.example/tradepost' }),
    events: z
      .array(eventKindSchema, { error: 'must be a list of event kinds' })
      .min(1, { error: 'must name at least one event kind' })
      .max(32, { error: 'must name each event kind once' }),
  })
  .meta({ id: 'CreateWebhook' });
