/** Limits of single accounts. Null stands for the default. */
export const accountLimits = `
ALTER TABLE accounts ADD COLUMN requests_per_minute BIGINT;
ALTER TABLE accounts ADD COLUMN max_webhooks BIGINT;
ALTER TABLE accounts ADD COLUMN max_open_deliveries BIGINT;
`;
