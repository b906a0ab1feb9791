import * as z from 'zod';
import {
  accountIdSchema,
  listingIdSchema,
  orderIdSchema,
  taskIdSchema,
  timestampSchema,
} from '../field-schemas';
import { orderStatusSchema, quantitySchema } from '../orders/order-schemas';
import { type EventKind, eventKinds } from './webhook-event';

/** One of the five event kinds. */
export const eventKindSchema = z
  .enum(eventKinds, { error: `must be one of ${eventKinds.join(', ')}` })
  .meta({ id: 'EventKind', description: 'Kind of an event.' });

function envelopeSchema<Kind extends EventKind, Data extends z.ZodType>(
  kind: Kind,
  id: string,
  description: string,
  data: Data,
) {
  return z
    .object({ event: z.literal(kind), createdAt: timestampSchema, data })
    .meta({ id, description });
}

const taskDataSchema = z
  .object({ taskId: taskIdSchema, orderId: orderIdSchema, agentId: accountIdSchema })
  .meta({ id: 'TaskData', description: 'The approval task of an order that has an agent.' });

/** Schema of `OrderCreatedEvent`. */
export const orderCreatedSchema = envelopeSchema(
  'order.created',
  'OrderCreatedEvent',
  'A new order was created.',
  z.object({
    orderId: orderIdSchema,
    buyerId: accountIdSchema,
    sellerId: accountIdSchema,
    agentId: accountIdSchema.nullable(),
    listingId: listingIdSchema,
    quantity: quantitySchema,
    status: orderStatusSchema,
  }),
);

/** Schema of `OrderStatusChangedEvent`. */
export const orderStatusChangedSchema = envelopeSchema(
  'order.status_changed',
  'OrderStatusChangedEvent',
  "An order's status changed.",
  z.object({
    orderId: orderIdSchema,
    previousStatus: orderStatusSchema,
    status: orderStatusSchema,
  }),
);

/** Schema of `TaskApprovalRequestedEvent`. */
export const taskApprovalRequestedSchema = envelopeSchema(
  'task.approval_requested',
  'TaskApprovalRequestedEvent',
  'A task requires trade agent approval.',
  taskDataSchema,
);

/** Schema of `TaskCompletedEvent`. */
export const taskCompletedSchema = envelopeSchema(
  'task.completed',
  'TaskCompletedEvent',
  'A task was marked complete.',
  taskDataSchema,
);

/** Schema of `ListingAvailabilityLowEvent`. */
export const listingAvailabilityLowSchema = envelopeSchema(
  'listing.availability_low',
  'ListingAvailabilityLowEvent',
  "A listing's available quantity dropped below its threshold.",
  z.object({
    listingId: listingIdSchema,
    sellerId: accountIdSchema,
    availableQuantity: z.int().min(0).meta({ description: 'Units left.' }),
    threshold: z.int().min(0).meta({ description: 'What the units left dropped below.' }),
  }),
);

/** Schema of `WebhookEvent`: told apart by `event`. */
export const webhookEventSchema = z
  .discriminatedUnion('event', [
    orderCreatedSchema,
    orderStatusChangedSchema,
    taskApprovalRequestedSchema,
    taskCompletedSchema,
    listingAvailabilityLowSchema,
  ])
  .meta({ id: 'WebhookEvent', description: 'The body of a delivery.' });
