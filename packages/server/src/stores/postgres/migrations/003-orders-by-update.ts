/** Lists the orders of each account by their last change. */
export const ordersByUpdate = `
CREATE INDEX orders_of_buyer_by_update ON orders (buyer_id, updated_at, id);
CREATE INDEX orders_of_seller_by_update ON orders (seller_id, updated_at, id);
CREATE INDEX orders_of_agent_by_update ON orders (agent_id, updated_at, id)
  WHERE agent_id IS NOT NULL;
`;
