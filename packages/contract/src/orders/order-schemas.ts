import * as z from 'zod';
import {
  accountIdSchema,
  listingIdSchema,
  momentSchema,
  orderIdSchema,
  timestampSchema,
} from '../field-schemas';
import { cursorSchema, limitSchema } from '../http/page-schemas';
import { bodySchema, querySchema } from '../http/request-schemas';
import { orderQuantity, orderStatuses } from './order';

/** One of the five order states. */
export const orderStatusSchema = z
  .enum(orderStatuses, { error: `must be one of ${orderStatuses.join(', ')}` })
  .meta({ id: 'OrderStatus', description: 'State of an order.' });

/** Units of a listing: an integer from 1 to 1,000,000. */
export const quantitySchema = z
  .int({ error: 'must be an integer' })
  .min(orderQuantity.min, { error: `must be at least ${orderQuantity.min}` })
  .max(orderQuantity.max, { error: `must be at most ${orderQuantity.max}` })
  .meta({ description: 'Units ordered.', examples: [25] });

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
  })
  .meta({
    id: 'Order',
    description: 'Ties a buyer, a seller and optionally an agent to a listing and a quantity.',
  });

/** Schema of `CreateOrder`. */
export const createOrderSchema = bodySchema({
  listingId: listingIdSchema,
  quantity: quantitySchema,
}).meta({ id: 'CreateOrder' });

/** Schema of `UpdateOrder`. */
export const updateOrderSchema = bodySchema({ status: orderStatusSchema }).meta({
  id: 'UpdateOrder',
});

/** Schema of `ListOrders`. */
export const listOrdersSchema = querySchema({
  status: orderStatusSchema.exactOptional().meta({ description: 'Only orders in this state.' }),
  createdAfter: momentSchema
    .exactOptional()
    .meta({ description: 'Only orders placed after this moment, exclusive.' }),
  createdBefore: momentSchema
    .exactOptional()
    .meta({ description: 'Only orders placed before this moment, exclusive.' }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
