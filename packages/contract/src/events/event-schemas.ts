import * as z from 'zod';
import { accountKindSchema } from '../accounts/account-schemas';
import {
  accountIdSchema,
  errorNameSchema,
  eventIdSchema,
  httpStatusSchema,
  listingIdSchema,
  orderIdSchema,
  taskIdSchema,
  timestampInputSchema,
  timestampSchema,
  webhookIdSchema,
} from '../http/field-schemas';
import {
  checkPeriod,
  cursorSchema,
  envelopeSchema,
  integerSchema,
  limitSchema,
  mayGrow,
  querySchema,
} from '../http/message-schemas';
import { orderStatusSchema, quantitySchema } from '../orders/order-schemas';
import { allEventTypes, type EventType, eventTail, eventWaitSeconds } from './event';

/** Schema of `EventType`. */
export const eventTypeSchema = z
  .enum(allEventTypes, { error: `must be one of ${allEventTypes.join(', ')}` })
  .meta({
    id: 'EventType',
    description: `Type of an event. \`webhook.disabled\` is an extension. ${mayGrow}`,
  });

function eventSchema<Type extends EventType, Data extends z.ZodType>(
  type: Type,
  id: string,
  description: string,
  data: Data,
  marks: { 'x-extension'?: true } = {},
) {
  return z
    .object({
      event: z.literal(type),
      createdAt: timestampSchema.meta({ description: 'When the event happened: ISO 8601, UTC.' }),
      data,
    })
    .meta({ id, description, ...marks });
}

const sellerIdSchema = accountIdSchema.meta({ description: 'The seller account.' });

const taskDataSchema = z
  .object({
    taskId: taskIdSchema.meta({ description: 'The approval task.' }),
    orderId: orderIdSchema.meta({ description: 'The order to approve.' }),
    agentId: accountIdSchema.meta({ description: 'The agent account that is asked to approve.' }),
  })
  .meta({ id: 'TaskData', description: 'The approval task of an order with an agent.' });

/** Schema of `OrderCreatedEvent`. */
export const orderCreatedSchema = eventSchema(
  'order.created',
  'OrderCreatedEvent',
  'A new order was created.',
  z
    .object({
      orderId: orderIdSchema.meta({ description: 'The new order.' }),
      buyerId: accountIdSchema.meta({ description: 'The buyer account.' }),
      sellerId: sellerIdSchema,
      agentId: accountIdSchema.nullable().meta({
        description: 'The agent account. Null when no agent is assigned.',
      }),
      listingId: listingIdSchema.meta({ description: 'The listing of the order.' }),
      quantity: quantitySchema,
      status: orderStatusSchema,
    })
    .meta({ id: 'OrderCreatedData', description: 'The new order.' }),
);

/** Schema of `OrderStatusChangedEvent`. */
export const orderStatusChangedSchema = eventSchema(
  'order.status_changed',
  'OrderStatusChangedEvent',
  "An order's status changed.",
  z
    .object({
      orderId: orderIdSchema.meta({ description: 'The order.' }),
      previousStatus: orderStatusSchema,
      status: orderStatusSchema,
      reason: z.string().exactOptional().meta({
        description: 'Why the order was changed, as the request gave it. Absent if it gave none.',
        'x-extension': true,
      }),
    })
    .meta({
      id: 'OrderStatusChangedData',
      description: 'The order, its status before and after, and perhaps the reason.',
    }),
);

/** Schema of `TaskApprovalRequestedEvent`. */
export const taskApprovalRequestedSchema = eventSchema(
  'task.approval_requested',
  'TaskApprovalRequestedEvent',
  'A task requires trade agent approval.',
  taskDataSchema,
);

/** Schema of `TaskCompletedEvent`. */
export const taskCompletedSchema = eventSchema(
  'task.completed',
  'TaskCompletedEvent',
  'A task was marked complete.',
  taskDataSchema,
);

/** Schema of `ListingAvailabilityLowEvent`. */
export const listingAvailabilityLowSchema = eventSchema(
  'listing.availability_low',
  'ListingAvailabilityLowEvent',
  "A listing's available quantity dropped below its threshold.",
  z
    .object({
      listingId: listingIdSchema.meta({ description: 'The listing.' }),
      sellerId: sellerIdSchema,
      availableQuantity: z.int().min(0).meta({ description: 'Units left.' }),
      threshold: z
        .int()
        .min(0)
        .meta({ description: 'The threshold that `availableQuantity` dropped below.' }),
    })
    .meta({ id: 'ListingAvailabilityLowData', description: 'The listing, and its quantity.' }),
);

/** Schema of `WebhookDisabledEvent`, an extension. */
export const webhookDisabledSchema = eventSchema(
  'webhook.disabled',
  'WebhookDisabledEvent',
  'An extension: the service disabled a webhook of the account, because its endpoint kept failing.',
  z
    .object({
      webhookId: webhookIdSchema.meta({ description: 'The webhook.' }),
      url: z.string().meta({
        description: 'Where its deliveries were sent.',
        examples: ['https://receiver.example/tradepost'],
      }),
      failingSince: timestampSchema.meta({
        description:
          'When the first attempt failed since the last success, or since it was resumed: ISO 8601, UTC.',
      }),
      disabledAt: timestampSchema.meta({
        description: 'When the service disabled it: ISO 8601, UTC.',
      }),
      lastStatus: httpStatusSchema.meta({
        description:
          'HTTP status of the response to the last attempt. Null when there was no response.',
      }),
      lastError: errorNameSchema.meta({
        description:
          'Why the last attempt got no complete response, such as `timeout`. Null when it got one.',
        examples: ['timeout'],
      }),
    })
    .meta({ id: 'WebhookDisabledData', description: 'The webhook, and why it was disabled.' }),
  { 'x-extension': true },
);

/** Schema of `WebhookEvent`: a union discriminated by `event`. */
export const webhookEventSchema = z
  .discriminatedUnion('event', [
    orderCreatedSchema,
    orderStatusChangedSchema,
    taskApprovalRequestedSchema,
    taskCompletedSchema,
    listingAvailabilityLowSchema,
    webhookDisabledSchema,
  ])
  .meta({ id: 'WebhookEvent', description: 'The body of a delivery.' });

/** Schema of `EventActor`, or null. In OpenAPI 3.0, a reference cannot be nullable. */
export const eventActorSchema = z
  .object({
    accountId: accountIdSchema.meta({ description: 'The account.' }),
    kind: accountKindSchema,
  })
  .nullable()
  .meta({
    id: 'EventActor',
    description:
      'The account whose request caused the event. Null if none did, or if that is not known, as of events from before the service stored it. Not part of deliveries.',
    'x-extension': true,
  });

const accountEventFields = {
  id: eventIdSchema.meta({
    description: 'ID of the event: the same as the header `webhook-id` of its deliveries.',
  }),
  actor: eventActorSchema.exactOptional(),
};

/**
 * Schema of `AccountEvent`: a union discriminated by `event`. Each member is named and has all its fields
 * itself, because client generators cannot combine a union with other fields.
 */
export const accountEventSchema = z
  .discriminatedUnion('event', [
    orderCreatedSchema.extend(accountEventFields).meta({ id: 'OrderCreatedAccountEvent' }),
    orderStatusChangedSchema
      .extend(accountEventFields)
      .meta({ id: 'OrderStatusChangedAccountEvent' }),
    taskApprovalRequestedSchema
      .extend(accountEventFields)
      .meta({ id: 'TaskApprovalRequestedAccountEvent' }),
    taskCompletedSchema.extend(accountEventFields).meta({ id: 'TaskCompletedAccountEvent' }),
    listingAvailabilityLowSchema
      .extend(accountEventFields)
      .meta({ id: 'ListingAvailabilityLowAccountEvent' }),
    webhookDisabledSchema
      .extend(accountEventFields)
      .meta({ id: 'WebhookDisabledAccountEvent', 'x-extension': true }),
  ])
  .meta({
    id: 'AccountEvent',
    description:
      'An event that the account may see: the body of its deliveries, its ID, and who caused it.',
  });

/** Schema of the response with one event. */
export const accountEventResponseSchema = envelopeSchema(accountEventSchema).meta({
  id: 'AccountEventResponse',
});

/** Schema of `EventPage`. */
export const eventPageSchema = z
  .object({
    data: z.array(accountEventSchema),
    nextCursor: z
      .string()
      .meta({ description: 'Send it as `after` to continue from here. Never null.' }),
    hasMore: z.boolean().exactOptional().meta({
      description:
        'Whether more events may follow now: request again with `nextCursor`, also if `data` is empty. False if this page reached the end of the log, or `until`. Absent with `tail`.',
    }),
    previousCursor: z.string().nullable().exactOptional().meta({
      description:
        'With `tail`: send it as `before` with `tail` for the page before. Null if no earlier event is stored. Absent without `tail`.',
    }),
  })
  .meta({ id: 'EventPage', description: 'One page of the events of the account, oldest first.' });

/** Parameters of `GET /v1/events` that are rejected with, or without, others. */
const contradictions: { path: string; with?: string[]; without?: string; error: string }[] = [
  {
    path: 'since',
    with: ['after'],
    error: 'send either after (continue a list) or since (start a list), not both',
  },
  {
    path: 'tail',
    with: ['after', 'limit', 'waitSeconds'],
    error: 'is the size of a page of the last events: send it without after, limit and waitSeconds',
  },
  {
    path: 'before',
    without: 'tail',
    error: 'continues a list of the last events: send it with tail',
  },
  {
    path: 'waitSeconds',
    with: ['until'],
    error: 'waits for new events: send it without until',
  },
];

const eventQuerySchema = querySchema({
  after: cursorSchema.exactOptional().meta({
    description:
      '`nextCursor` of the previous page: only later events. Opaque. `now` is the end of the log: no event so far, and each one that is committed from now on, whatever clocks say. A cursor that the service can no longer continue from is a 410 `cursor_expired`.',
  }),
  since: timestampInputSchema.exactOptional().meta({
    description:
      'Only events at or after this time. A time in the future is that of the request, as with `after=now`. Excludes `after`.',
  }),
  until: timestampInputSchema.exactOptional().meta({
    description: 'Only events before this time. Not earlier than `since`. Excludes `waitSeconds`.',
  }),
  type: eventTypeSchema.exactOptional().meta({ description: 'Only events of this type.' }),
  orderId: orderIdSchema.exactOptional().meta({
    description:
      'Only events of this order, including a `listing.availability_low` that it caused.',
  }),
  limit: limitSchema.exactOptional(),
  waitSeconds: integerSchema(eventWaitSeconds)
    .exactOptional()
    .meta({
      description: `Seconds to wait for an event when there is none yet, ${eventWaitSeconds.min} to ${eventWaitSeconds.max}. Defaults to ${eventWaitSeconds.default}.`,
    }),
  tail: integerSchema(eventTail)
    .exactOptional()
    .meta({
      description: `The last events instead of the first ones: how many at most, ${eventTail.min} to ${eventTail.max}. Excludes \`after\`, \`limit\` and \`waitSeconds\`.`,
    }),
  before: cursorSchema.exactOptional().meta({
    description: '`previousCursor` of a page with `tail`: only earlier events. Needs `tail`.',
  }),
});

/** Schema of `ListEvents`. */
export const listEventsSchema = contradictions.reduce(
  (schema, { path, with: others = [], without, error }) =>
    schema.refine(
      (query: unknown) => {
        if (typeof query !== 'object' || query === null || !(path in query)) return true;
        return !others.some((name) => name in query) && (without === undefined || without in query);
      },
      // Report it together with all other issues of the query.
      { error, path: [path], when: () => true },
    ),
  checkPeriod(eventQuerySchema),
);
