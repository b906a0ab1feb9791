import * as z from 'zod';
import { timestampSchema } from '../http/field-schemas';
import { envelopeSchema } from '../http/message-schemas';
import type { orderStatuses } from '../orders/order';
import { summaryLimits } from './summary';

const most = summaryLimits.count.toLocaleString('en');

/** Schema of `SummaryCount`. */
export const summaryCountSchema = z
  .object({
    count: z
      .int()
      .min(0)
      .max(summaryLimits.count)
      .meta({ description: `How many there are, up to ${most}.` }),
    atLeast: z.boolean().meta({ description: 'Whether there are more than `count`.' }),
  })
  .meta({ id: 'SummaryCount', description: 'A number of items that was counted up to a limit.' });

const webhookCount = (description: string) => z.int().min(0).meta({ description });

/** Schema of `Summary`. */
export const summarySchema = z
  .object({
    asOf: timestampSchema.meta({
      description: `When it was counted, up to ${summaryLimits.maxAgeSeconds} seconds before the response.`,
    }),
    orders: z
      .object({
        pending: summaryCountSchema,
        confirmed: summaryCountSchema,
        fulfilling: summaryCountSchema,
        completed: summaryCountSchema,
        cancelled: summaryCountSchema,
      } satisfies Record<(typeof orderStatuses)[number], typeof summaryCountSchema>)
      .meta({
        id: 'SummaryOrders',
        description: 'The orders that the account may see, by status.',
      }),
    unread: summaryCountSchema,
    webhooks: z
      .object({
        active: webhookCount('How many get deliveries.'),
        paused: webhookCount('How many their account paused.'),
        disabled: webhookCount(
          'How many the service paused because their endpoints kept failing: their deliveries wait until they are resumed.',
        ),
        backoff: webhookCount('How many are active, but get nothing until their backoff ends.'),
      })
      .meta({
        id: 'SummaryWebhooks',
        description: 'The webhooks of the account. Each counts once.',
      }),
  })
  .meta({ id: 'Summary', description: 'The state of the account at a glance.' });

/** Schema of the response with a summary. */
export const summaryResponseSchema = envelopeSchema(summarySchema).meta({ id: 'SummaryResponse' });
