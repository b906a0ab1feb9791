/** The id of the one order that is answered. */
export const orderId = 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
/** How many orders a list has. */
export const listLength = 50;

const order = {
  id: orderId,
  status: 'confirmed',
  buyerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
  sellerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
  agentId: null,
  listingId: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL',
  quantity: 25,
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: '2026-01-15T09:31:00.000Z',
};

/** The body that answers the reading of an order. */
export const orderBody = Buffer.from(JSON.stringify({ data: order }));
/** The body that answers a list of orders. */
export const listBody = Buffer.from(
  JSON.stringify({ data: Array.from({ length: listLength }, () => order), nextCursor: null }),
);
