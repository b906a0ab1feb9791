/** For how many days data of single accounts is kept. Null stands for the times of the server, which are never exceeded. */
export const accountRetention = `
ALTER TABLE accounts ADD COLUMN keep_deliveries INTEGER;
ALTER TABLE accounts ADD COLUMN keep_notifications INTEGER;
ALTER TABLE accounts ADD COLUMN keep_unread_notifications INTEGER;
-- The accounts that have any: unread notifications have a time only where read ones have.
CREATE INDEX accounts_with_retention ON accounts (id)
  WHERE keep_deliveries IS NOT NULL OR keep_notifications IS NOT NULL;
`;
