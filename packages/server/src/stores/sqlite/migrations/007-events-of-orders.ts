/** Adds the index by which the events of one order are found, without reading the log of an account. */
export const eventsOfOrders = `
CREATE INDEX events_of_order ON events (order_id) WHERE order_id IS NOT NULL;
`;
