import * as z from 'zod';
import {
  accountIdSchema,
  listingIdSchema,
  orderIdSchema,
  timestampInputSchema,
  timestampSchema,
} from '../http/field-schemas';
import { isLine, lineForm, lineMeta } from '../http/line-of-text';
import {
  bodySchema,
  commaListSchema,
  cursorSchema,
  envelopeSchema,
  integerSchema,
  limitSchema,
  mayGrow,
  pageSchema,
  querySchema,
} from '../http/message-schemas';
import {
  maxReasonLength,
  orderCount,
  orderExpansions,
  orderQuantity,
  orderSorts,
  orderStatuses,
} from './order';

/** Schema of `OrderStatus`. */
export const orderStatusSchema = z
  .enum(orderStatuses, { error: `must be one of ${orderStatuses.join(', ')}` })
  .meta({ id: 'OrderStatus', description: `Status of an order. ${mayGrow}` });

/** Units of a listing: an integer from 1 to 1,000,000. */
export const quantitySchema = z
  .int({ error: 'must be an integer' })
  .min(orderQuantity.min, { error: `must be at least ${orderQuantity.min}` })
  .max(orderQuantity.max, { error: `must be at most ${orderQuantity.max}` })
  .meta({ description: 'Units ordered.', examples: [25] });

const partyFields = {
  id: accountIdSchema,
  name: z.string().meta({ description: 'Display name.' }),
};

/** Schema of `OrderParty`. */
export const orderPartySchema = z
  .object(partyFields)
  .meta({ id: 'OrderParty', description: 'An account of an order.', 'x-extension': true });

// A schema of its own: in OpenAPI 3.0, a reference cannot be nullable.
const orderAgentSchema = z.object(partyFields).nullable().meta({
  id: 'OrderAgent',
  description: 'The agent of an order. Null when no agent is assigned.',
  'x-extension': true,
});

/** Schema of `OrderListing`. */
export const orderListingSchema = z
  .object({
    id: listingIdSchema,
    title: z.string().nullable().meta({ description: 'What it offers. Null if it has no title.' }),
  })
  .meta({ id: 'OrderListing', description: 'The listing of an order.', 'x-extension': true });

const etagSchema = z.string().meta({
  description:
    'What `ETag` of a response with this order alone has, with its quotes: send it as `If-Match`.',
  examples: ['"3"'],
  'x-extension': true,
});

/** Schema of `Order`. */
export const orderSchema = z
  .object({
    id: orderIdSchema,
    status: orderStatusSchema,
    buyerId: accountIdSchema,
    sellerId: accountIdSchema,
    agentId: accountIdSchema.nullable().meta({ description: 'Null when no agent is assigned.' }),
    listingId: listingIdSchema,
    quantity: quantitySchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    buyer: orderPartySchema.exactOptional(),
    seller: orderPartySchema.exactOptional(),
    agent: orderAgentSchema.exactOptional(),
    listing: orderListingSchema.exactOptional(),
    etag: etagSchema.exactOptional(),
  })
  .meta({
    id: 'Order',
    description:
      'Ties a buyer, a seller and optionally an agent to a listing and a quantity. `buyer`, `seller`, `agent`, `listing` and `etag` are present only if the request has them in `expand`.',
  });

/** Schema of the response with one order. */
export const orderResponseSchema = envelopeSchema(orderSchema).meta({ id: 'OrderResponse' });

/** Schema of `OrderTotal`. */
export const orderTotalSchema = z
  .object({
    count: z.int().min(0).max(orderCount.max).meta({
      description: 'The number of orders, at most as many as `count` of the request says.',
    }),
    atLeast: z.boolean().meta({ description: 'Whether there are more than `count`.' }),
  })
  .meta({
    id: 'OrderTotal',
    description: 'How many orders the whole list has, whichever page was requested.',
    'x-extension': true,
  });

/** Schema of a page of orders. */
export const orderPageSchema = pageSchema(orderSchema)
  .extend({ total: orderTotalSchema.exactOptional() })
  .meta({
    id: 'OrderPage',
    description: 'One page of a list. `total` is present only if the request has `count`.',
  });

/** Schema of `CreateOrder`. */
export const createOrderSchema = bodySchema({
  listingId: listingIdSchema,
  quantity: quantitySchema,
}).meta({ id: 'CreateOrder' });

const reasonForm = lineForm(maxReasonLength);
const reasonError = `must be ${reasonForm}`;

/** Why an order changes: one line of text. */
const reasonSchema = z
  .string({ error: reasonError })
  .refine((reason) => isLine(reason, maxReasonLength), { error: reasonError })
  .meta({
    description: `Why the order changes: ${reasonForm}. Everyone who may see the order sees it. With the current status it is not stored.`,
    examples: ['The buyer has paid.'],
    ...lineMeta(maxReasonLength),
    'x-extension': true,
  });

/** Schema of `UpdateOrder`. */
export const updateOrderSchema = bodySchema({
  status: orderStatusSchema,
  reason: reasonSchema.exactOptional(),
}).meta({ id: 'UpdateOrder' });

const expandSchema = commaListSchema(orderExpansions).exactOptional().meta({
  description:
    'What to return with an order: the names of its `buyer`, `seller`, `agent` and `listing`, and its `etag`. One or several of them: `expand=buyer,listing`.',
});

/** Schema of `GetOrder`. */
export const getOrderSchema = querySchema({ expand: expandSchema });

const quantityFilterSchema = integerSchema(orderQuantity).exactOptional();

function excludesAllQuantities(query: unknown): boolean {
  const { minQuantity, maxQuantity } = Object(query);
  return Number(minQuantity) > Number(maxQuantity);
}

/** Schema of `ListOrders`. */
export const listOrdersSchema = querySchema({
  status: commaListSchema(orderStatuses).exactOptional().meta({
    description:
      'Only orders with this status, or with one of several: `status=pending,confirmed`.',
  }),
  buyerId: accountIdSchema.exactOptional().meta({ description: 'Only orders of this buyer.' }),
  sellerId: accountIdSchema.exactOptional().meta({ description: 'Only orders of this seller.' }),
  listingId: listingIdSchema
    .exactOptional()
    .meta({ description: 'Only orders from this listing.' }),
  minQuantity: quantityFilterSchema.meta({ description: 'Only orders of at least so many units.' }),
  maxQuantity: quantityFilterSchema.meta({
    description: 'Only orders of at most so many units. Not less than `minQuantity`.',
  }),
  createdAfter: timestampInputSchema.exactOptional().meta({
    description:
      'Only orders created after this time (exclusive). To poll for new orders, send the latest `createdAt` that you have got, as with `updatedAfter`.',
  }),
  createdBefore: timestampInputSchema
    .exactOptional()
    .meta({ description: 'Only orders created before this time (exclusive).' }),
  updatedAfter: timestampInputSchema.exactOptional().meta({
    description:
      'Only orders last changed after this time (exclusive). To poll for changes, send the latest `updatedAt` that you have got, first `1970-01-01T00:00:00Z`, and follow all pages: no change is left out, except if the clock of the service was set back. The event log (`GET /v1/events`) has each change, in order, and does not depend on clocks.',
  }),
  sort: z
    .enum(orderSorts, { error: `must be one of ${orderSorts.join(', ')}` })
    .exactOptional()
    .meta({
      description:
        'By creation or by the last change; with `-` the newest first. Defaults to `-createdAt`. A cursor is valid for its own sort only. An order that changes while a list by `updatedAt` is read moves to its newest end.',
    }),
  expand: expandSchema,
  count: integerSchema(orderCount).exactOptional().meta({
    description:
      'Returns `total`: how many orders the whole list has, counted up to this number, 1 to 100,000. A large one takes time: request it once, and not with each page.',
  }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
}).refine((query) => !excludesAllQuantities(query), {
  error: 'must not be less than minQuantity',
  path: ['maxQuantity'],
  // Report it together with all other issues of the query.
  when: () => true,
});
