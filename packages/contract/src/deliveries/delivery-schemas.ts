import * as z from 'zod';
import { eventKindSchema } from '../events/event-schemas';
import {
  deliveryIdSchema,
  eventIdSchema,
  momentSchema,
  timestampSchema,
  webhookIdSchema,
} from '../field-schemas';
import { cursorSchema, limitSchema } from '../http/page-schemas';
import { querySchema } from '../http/request-schemas';
import { deliveryStates, httpClasses } from './delivery';

const statusSchema = z.int().min(100).max(999).nullable();
const errorNameSchema = z.string().nullable();

/** One of the three delivery states. */
export const deliveryStateSchema = z
  .enum(deliveryStates, { error: `must be one of ${deliveryStates.join(', ')}` })
  .meta({ id: 'DeliveryState', description: 'State of a delivery.' });

/** One of the classes that a last answer may be of. */
export const httpClassSchema = z
  .enum(httpClasses, { error: `must be one of ${httpClasses.join(', ')}` })
  .meta({
    id: 'HttpClass',
    description: 'Class of the last answer; `none` when the last attempt got none.',
  });

/** Schema of `Delivery`. */
export const deliverySchema = z
  .object({
    id: deliveryIdSchema,
    webhookId: webhookIdSchema,
    eventId: eventIdSchema.meta({
      description: 'The event that it carries: what its header `webhook-id` says.',
    }),
    event: eventKindSchema,
    state: deliveryStateSchema,
    test: z
      .boolean()
      .meta({ description: 'True for a sample that was asked for. It is tried once.' }),
    attempts: z.int().min(0).meta({ description: 'How many attempts were made so far.' }),
    lastStatus: statusSchema.meta({
      description: 'HTTP status of the answer to the last attempt; null when there was none.',
    }),
    lastError: errorNameSchema.meta({
      description:
        'Why the last attempt got no whole answer; null when it got one or none was made.',
      examples: ['timeout'],
    }),
    nextAttemptAt: timestampSchema.nullable().meta({
      description:
        'When it is tried next; null once it is final, while an attempt is under way, and while its webhook is paused.',
    }),
    deadlineAt: timestampSchema.meta({
      description: 'When it is given up: 24 hours after its event or its replay.',
    }),
    createdAt: timestampSchema.meta({ description: 'When it was queued.' }),
    finishedAt: timestampSchema
      .nullable()
      .meta({ description: 'When it was delivered or failed; null while it is pending.' }),
  })
  .meta({
    id: 'Delivery',
    description: 'The sending of one event to one webhook, over all its attempts.',
  });

/** Schema of `DeliveryAttempt`. */
export const deliveryAttemptSchema = z
  .object({
    number: z
      .int()
      .min(1)
      .meta({ description: 'Which attempt of its delivery it was, counted from 1.' }),
    startedAt: timestampSchema,
    duration: z.int().min(0).meta({ description: 'How many milliseconds it took.' }),
    url: z.string().meta({ description: 'The URL that it was posted to.' }),
    headers: z.record(z.string(), z.string()).meta({
      description:
        'The headers as they were sent, by name, without those that follow from the rest: Host, Content-Length and Connection.',
    }),
    status: statusSchema.meta({
      description: 'HTTP status of the answer; null when there was none.',
    }),
    error: errorNameSchema.meta({
      description: 'Why no whole answer came; null when one did.',
      examples: ['connection_refused'],
    }),
    excerpt: z.string().meta({ description: "The first 1,000 bytes of the answer's body." }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to send a delivery.' });

/** Schema of `DeliveryDetails`. */
export const deliveryDetailsSchema = deliverySchema
  .extend({
    body: z
      .string()
      .meta({ description: 'The body that each attempt sends, byte for byte in UTF-8.' }),
    attemptLog: z.array(deliveryAttemptSchema).meta({
      description: 'The attempts that were made, oldest first; of more than 100 the newest.',
    }),
  })
  .meta({
    id: 'DeliveryDetails',
    description: 'A delivery with what was sent and what came of it.',
  });

/** Schema of `ListDeliveries`. */
export const listDeliveriesSchema = querySchema({
  webhookId: webhookIdSchema
    .exactOptional()
    .meta({ description: 'Only deliveries to this webhook.' }),
  event: eventKindSchema
    .exactOptional()
    .meta({ description: 'Only deliveries of events of this kind.' }),
  state: deliveryStateSchema
    .exactOptional()
    .meta({ description: 'Only deliveries in this state.' }),
  since: momentSchema
    .exactOptional()
    .meta({ description: 'Only deliveries queued at this moment, inclusive, or after it.' }),
  http: httpClassSchema.exactOptional().meta({
    description:
      'Only deliveries whose last attempt was answered with a status of this class; `none` when it got no answer.',
  }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
