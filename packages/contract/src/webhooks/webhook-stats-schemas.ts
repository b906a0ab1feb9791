import * as z from 'zod';
import { timestampSchema, webhookIdSchema } from '../http/field-schemas';
import { commaListSchema, envelopeSchema, querySchema } from '../http/message-schemas';
import { statsWindows, webhookExpansions } from './webhook-stats';

const countSchema = z.int().min(0);

const attemptCountsSchema = z
  .object({
    '2xx': countSchema.meta({ description: 'Attempts that were acknowledged.' }),
    '3xx': countSchema.meta({ description: 'Attempts that were redirected, which is a failure.' }),
    '4xx': countSchema.meta({ description: 'Attempts that were rejected.' }),
    '5xx': countSchema.meta({ description: 'Attempts at which the receiver failed.' }),
    none: countSchema.meta({
      description: 'Attempts without a response of these classes, such as a timeout.',
    }),
  })
  .meta({
    id: 'AttemptCounts',
    description: 'Attempts that started, by the class of their response.',
  });

// Nullable itself: in OpenAPI 3.0, a reference cannot be.
const responseLatencySchema = z
  .object({
    mean: countSchema.meta({ description: 'The mean, rounded to a millisecond.' }),
    p50: countSchema.meta({ description: 'Half of the responses took at most so long.' }),
    p95: countSchema.meta({ description: '95 of 100 responses took at most so long.' }),
  })
  .nullable()
  .meta({
    id: 'ResponseLatency',
    description:
      'How long receivers took to respond, in milliseconds. Null when there was no response. The percentiles are estimates: of the attempts between two limits of a histogram (5, 10, 25, 50, 100, 250, 500, 1,000, 2,500, 5,000, 10,000 and 15,000 ms) it is assumed that they are spread evenly.',
  });

const deliveryStatsShape = {
  delivered: countSchema.meta({
    description:
      'Deliveries that a receiver acknowledged. One that was replayed counts each time, and so do test events.',
  }),
  failed: countSchema.meta({
    description:
      'Deliveries that failed for good, also without an attempt, such as those whose deadline passed during a pause.',
  }),
  attempts: attemptCountsSchema,
  latencyMs: responseLatencySchema,
};

/** Schema of `DeliveryStats`. */
export const deliveryStatsSchema = z.object(deliveryStatsShape).meta({
  id: 'DeliveryStats',
  description:
    'What happened at a webhook in a period. Deliveries count when they are finished, attempts when they start.',
});

/** Schema of `DeliveryStatsPoint`. */
export const deliveryStatsPointSchema = z
  .object({
    start: timestampSchema.meta({
      description: 'When the bucket starts (inclusive). It ends `bucketSeconds` later.',
    }),
    ...deliveryStatsShape,
  })
  .meta({ id: 'DeliveryStatsPoint', description: 'The statistics of one bucket.' });

/** Schema of `WebhookStats`. */
export const webhookStatsSchema = z
  .object({
    webhookId: webhookIdSchema,
    since: timestampSchema.meta({ description: 'When the first bucket starts (inclusive).' }),
    until: timestampSchema.meta({
      description: 'When the last bucket ends (exclusive), which is not over yet.',
    }),
    bucketSeconds: z.int().min(1).meta({
      description:
        'How long a bucket is: 60 in a window of 1 hour, 900 in 24 hours, 3,600 in 7 days.',
    }),
    points: z
      .array(deliveryStatsPointSchema)
      .meta({ description: 'All buckets of the window without gaps, oldest first.' }),
    totals: deliveryStatsSchema,
  })
  .meta({
    id: 'WebhookStats',
    description: 'The statistics of a webhook. `totals` are those of the whole window.',
  });

/** Schema of the response with the statistics of a webhook. */
export const webhookStatsResponseSchema = envelopeSchema(webhookStatsSchema).meta({
  id: 'WebhookStatsResponse',
});

/** Schema of `GetWebhookStats`. */
export const getWebhookStatsSchema = querySchema({
  window: z
    .enum(statsWindows, { error: `must be one of ${statsWindows.join(', ')}` })
    .exactOptional()
    .meta({
      description: 'How far back: the last hour, 24 hours or 7 days. Defaults to `24h`.',
    }),
});

/** `expand` of a list of webhooks. */
export const webhookExpandSchema = commaListSchema(webhookExpansions).exactOptional().meta({
  description: '`stats` returns the statistics of the last 24 hours with each webhook.',
});
