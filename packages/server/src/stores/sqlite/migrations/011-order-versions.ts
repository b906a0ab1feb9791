/** Adds the version that an order had after the change that caused an event. */
export const orderVersions = `
ALTER TABLE events ADD COLUMN order_version INTEGER;
`;
