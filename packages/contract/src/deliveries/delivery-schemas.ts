import * as z from 'zod';
import { eventTypeSchema } from '../events/event-schemas';
import { replayLimit } from '../http/endpoints';
import {
  deliveryIdSchema,
  errorNameSchema,
  eventIdSchema,
  httpStatusSchema,
  orderIdSchema,
  timestampInputSchema,
  timestampSchema,
  webhookIdSchema,
} from '../http/field-schemas';
import {
  bodySchema,
  checkPeriod,
  cursorSchema,
  envelopeSchema,
  limitSchema,
  mayGrow,
  pageSchema,
  querySchema,
} from '../http/message-schemas';
import { defaultReplayState, deliveryStates, statusClasses } from './delivery';

/** Schema of `DeliveryState`. */
export const deliveryStateSchema = z
  .enum(deliveryStates, { error: `must be one of ${deliveryStates.join(', ')}` })
  .meta({ id: 'DeliveryState', description: `State of a delivery. ${mayGrow}` });

/** Schema of `StatusClass`. */
export const statusClassSchema = z
  .enum(statusClasses, { error: `must be one of ${statusClasses.join(', ')}` })
  .meta({
    id: 'StatusClass',
    description: 'Status class of the last response; `none` when the last attempt got no response.',
  });

/** Schema of `Delivery`. */
export const deliverySchema = z
  .object({
    id: deliveryIdSchema,
    webhookId: webhookIdSchema,
    eventId: eventIdSchema.meta({
      description: 'The event: the same as the header `webhook-id`.',
    }),
    event: eventTypeSchema,
    orderId: orderIdSchema.nullable().meta({
      description: 'The order that the event is about, or that caused it. Null for a test event.',
    }),
    state: deliveryStateSchema,
    test: z
      .boolean()
      .meta({ description: 'Whether it carries a test event. A test event is attempted once.' }),
    attemptCount: z.int().min(0).meta({ description: 'Number of attempts so far.' }),
    lastStatus: httpStatusSchema.meta({
      description:
        'HTTP status of the response to the last attempt. Null when there was no response.',
    }),
    lastError: errorNameSchema.meta({
      description:
        'Why the last attempt got no complete response. Null when it got one, or before the first attempt.',
      examples: ['timeout'],
    }),
    nextAttemptAt: timestampSchema.nullable().meta({
      description:
        'When the next attempt is due. Null when the state is final, while an attempt is in flight, and while the webhook is paused.',
    }),
    deadlineAt: timestampSchema.meta({
      description: 'When the service stops retrying: 24 hours after the event or the replay.',
    }),
    createdAt: timestampSchema.meta({ description: 'When it was queued.' }),
    finishedAt: timestampSchema
      .nullable()
      .meta({ description: 'When it was delivered or failed. Null while it is pending.' }),
  })
  .meta({
    id: 'Delivery',
    description: 'The delivery of one event to one webhook, over all its attempts.',
  });

/** Schema of `DeliveryAttempt`. */
export const deliveryAttemptSchema = z
  .object({
    number: z
      .int()
      .min(1)
      .meta({ description: 'Number of the attempt within its delivery, from 1.' }),
    startedAt: timestampSchema,
    durationMs: z.int().min(0).meta({ description: 'How long it took, in milliseconds.' }),
    url: z.string().meta({ description: 'The URL that it was sent to.' }),
    headers: z.record(z.string(), z.string()).meta({
      description: 'The request headers by name, without Host, Content-Length and Connection.',
    }),
    status: httpStatusSchema.meta({
      description: 'HTTP status of the response. Null when there was no response.',
    }),
    error: errorNameSchema.meta({
      description: 'Why there was no complete response. Null when there was one.',
      examples: ['connection_refused'],
    }),
    responseSnippet: z
      .string()
      .meta({ description: 'The first 1,000 bytes of the response body.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt of a delivery.' });

/** Schema of `DeliveryDetails`. */
export const deliveryDetailsSchema = deliverySchema
  .extend({
    body: z.string().meta({ description: 'The body of every attempt, byte for byte in UTF-8.' }),
    attempts: z.array(deliveryAttemptSchema).meta({
      description: 'The attempts, oldest first; the newest 100 at most.',
    }),
  })
  .meta({
    id: 'DeliveryDetails',
    description: 'A delivery with its body and its attempts.',
  });

/** Schema of the response with one delivery. */
export const deliveryResponseSchema = envelopeSchema(deliverySchema).meta({
  id: 'DeliveryResponse',
});

/** Schema of the response with one delivery, its body and its attempts. */
export const deliveryDetailsResponseSchema = envelopeSchema(deliveryDetailsSchema).meta({
  id: 'DeliveryDetailsResponse',
});

/** Schema of a page of deliveries. */
export const deliveryPageSchema = pageSchema(deliverySchema).meta({ id: 'DeliveryPage' });

const since = timestampInputSchema.exactOptional().meta({
  description:
    'Only deliveries queued at or after this time. A delivery may appear a little after its time: to miss none, overlap by some minutes, or use the event log.',
});
const until = timestampInputSchema
  .exactOptional()
  .meta({ description: 'Only deliveries queued before this time. Not earlier than `since`.' });

/** Schema of `ListDeliveries`. */
export const listDeliveriesSchema = checkPeriod(
  querySchema({
    webhookId: webhookIdSchema
      .exactOptional()
      .meta({ description: 'Only deliveries to this webhook.' }),
    eventId: eventIdSchema.exactOptional().meta({ description: 'Only deliveries of this event.' }),
    orderId: orderIdSchema
      .exactOptional()
      .meta({ description: 'Only deliveries of events about this order.' }),
    event: eventTypeSchema
      .exactOptional()
      .meta({ description: 'Only deliveries of events of this type.' }),
    state: deliveryStateSchema
      .exactOptional()
      .meta({ description: 'Only deliveries in this state.' }),
    since,
    until,
    statusClass: statusClassSchema.exactOptional().meta({
      description:
        'Only deliveries whose last response has this status class; `none` for those without a response.',
    }),
    limit: limitSchema.exactOptional(),
    cursor: cursorSchema.exactOptional(),
  }),
);

const replayLimitError = `must be an integer from ${replayLimit.min} to ${replayLimit.max}`;

/** Schema of `ReplayDeliveries`. */
export const replayDeliveriesSchema = checkPeriod(
  bodySchema({
    event: eventTypeSchema.exactOptional(),
    state: deliveryStateSchema.exactOptional(),
    since,
    until,
    statusClass: statusClassSchema.exactOptional(),
    limit: z
      .int({ error: replayLimitError })
      .min(replayLimit.min, { error: replayLimitError })
      .max(replayLimit.max, { error: replayLimitError })
      .exactOptional()
      .meta({
        description: `Maximum number of deliveries, ${replayLimit.min} to ${replayLimit.max}. Defaults to ${replayLimit.default}.`,
      }),
    cursor: cursorSchema
      .exactOptional()
      .meta({ description: '`nextCursor` of the previous request. Opaque.' }),
  }),
).meta({
  id: 'ReplayDeliveries',
  description: `Which deliveries to replay. \`state\` defaults to \`${defaultReplayState}\`: name it to send delivered or pending ones again.`,
});

/** Schema of the response with what was replayed. */
export const replayedDeliveriesResponseSchema = envelopeSchema(
  z
    .object({
      replayed: z.int().min(0).meta({ description: 'How many are due again.' }),
      skipped: z
        .int()
        .min(0)
        .meta({ description: 'How many were left out because an attempt is in flight.' }),
      nextCursor: z.string().nullable().meta({
        description: 'Send it as `cursor` to replay the next ones. Null when there are no more.',
      }),
    })
    .meta({ id: 'ReplayedDeliveries', description: 'What a request to replay deliveries did.' }),
).meta({ id: 'ReplayedDeliveriesResponse' });
