/** Adds how far each event log was pruned. What was pruned before is not known. */
export const prunedLogs = `
CREATE TABLE event_logs (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  pruned_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
