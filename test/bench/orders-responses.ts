import { anOrder } from '../helpers/an-order';

/** The ID of the order in every response. */
export const orderId = 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
/** How many orders a list has. */
export const listLength = 50;

const order = anOrder({
  id: orderId,
  status: 'confirmed',
  quantity: 25,
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: '2026-01-15T09:31:00.000Z',
});

/** The response body for one order. */
export const orderBody = Buffer.from(JSON.stringify({ data: order }));
/** The response body for a list of orders. */
export const listBody = Buffer.from(
  JSON.stringify({ data: Array.from({ length: listLength }, () => order), nextCursor: null }),
);
