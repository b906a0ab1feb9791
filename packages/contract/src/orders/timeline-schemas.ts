import * as z from 'zod';
import { deliveryAttemptSchema, deliverySchema } from '../deliveries/delivery-schemas';
import { eventActorSchema, eventTypeSchema } from '../events/event-schemas';
import { eventIdSchema, notificationIdSchema, timestampSchema } from '../http/field-schemas';
import { envelopeSchema } from '../http/message-schemas';
import { orderStatuses } from './order';
import { orderStatusSchema } from './order-schemas';
import { timelineLimits } from './timeline';

// Schemas of their own: in OpenAPI 3.0, a reference cannot be nullable.
const previousStatusSchema = z.enum(orderStatuses).nullable().meta({
  id: 'TimelinePreviousStatus',
  description: 'The status before. Null for the creation of the order.',
});

const changeSchema = z
  .object({
    from: previousStatusSchema,
    to: orderStatusSchema,
    reason: z.string().nullable().meta({
      description: 'Why the order was changed, as the request gave it. Null if it gave none.',
    }),
    actor: eventActorSchema,
  })
  .nullable()
  .meta({
    id: 'TimelineChange',
    description:
      'The change of status that the event reports. Null if it reports none, as events of tasks and listings.',
  });

const notificationSchema = z
  .object({
    id: notificationIdSchema,
    read: z.boolean().meta({ description: 'Whether it was marked as read.' }),
  })
  .nullable()
  .meta({
    id: 'TimelineNotification',
    description: "The account's own notification of the event. Null if it is no longer stored.",
  });

const timelineEventSchema = z
  .object({
    id: eventIdSchema,
    type: eventTypeSchema,
    createdAt: timestampSchema.meta({ description: 'When it happened.' }),
  })
  .meta({ id: 'TimelineEvent', description: 'An event of the order, without its data.' });

const timelineAttemptSchema = deliveryAttemptSchema
  .pick({ number: true, startedAt: true, durationMs: true, status: true, error: true })
  .meta({
    id: 'TimelineAttempt',
    description: 'An attempt, without what was sent and what came back.',
  });

const timelineDeliverySchema = deliverySchema
  .extend({
    attempts: z
      .array(timelineAttemptSchema)
      .max(timelineLimits.attempts)
      .meta({
        description: `The last attempts, oldest first, ${timelineLimits.attempts} at most. \`attemptCount\` counts all.`,
      }),
  })
  .meta({
    id: 'TimelineDelivery',
    description: 'A delivery to a webhook of the account, with its last attempts.',
  });

/** Schema of `TimelineEntry`. */
export const timelineEntrySchema = z
  .object({
    change: changeSchema,
    event: timelineEventSchema,
    notification: notificationSchema,
    deliveries: z.array(timelineDeliverySchema).meta({
      description:
        'The deliveries to webhooks of the account that are not deleted, one for each that subscribed to the event.',
    }),
  })
  .meta({
    id: 'TimelineEntry',
    description: 'One event of an order, what caused it, and what it caused for the account.',
  });

/** Schema of `OrderTimeline`. */
export const orderTimelineSchema = z
  .object({
    entries: z
      .array(timelineEntrySchema)
      .max(timelineLimits.entries)
      .meta({
        description: `One for each event, oldest first, ${timelineLimits.entries} at most: the last ones.`,
      }),
    prunedBefore: timestampSchema.nullable().meta({
      description:
        'Events from before this time may no longer be stored. Null if the timeline is complete.',
    }),
  })
  .meta({
    id: 'OrderTimeline',
    description: 'What happened to an order, as far as the account may see it.',
  });

/** Schema of the response with the timeline of an order. */
export const orderTimelineResponseSchema = envelopeSchema(orderTimelineSchema).meta({
  id: 'OrderTimelineResponse',
});
