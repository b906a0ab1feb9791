/** Limits of single accounts. Null stands for the default. */
export const accountLimits = `
ALTER TABLE accounts ADD COLUMN requests_per_minute INTEGER;
ALTER TABLE accounts ADD COLUMN max_webhooks INTEGER;
ALTER TABLE accounts ADD COLUMN max_open_deliveries INTEGER;
`;
