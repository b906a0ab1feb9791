/** For how many days data of single accounts is kept. Null stands for the times of the server, which are never exceeded. */
export const accountRetention = `
ALTER TABLE accounts ADD COLUMN keep_deliveries BIGINT;
ALTER TABLE accounts ADD COLUMN keep_notifications BIGINT;
ALTER TABLE accounts ADD COLUMN keep_unread_notifications BIGINT;
`;

/** The accounts that have any: unread notifications have a time only where read ones have. */
export const accountRetentionIndexes = [
  `CREATE INDEX CONCURRENTLY accounts_with_retention ON accounts (id ASC)
   WHERE keep_deliveries IS NOT NULL OR keep_notifications IS NOT NULL`,
];
