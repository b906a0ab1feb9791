/** Adds how far each event log was pruned. What was pruned before is not known. */
export const prunedLogs = `
ALTER TABLE event_logs ADD COLUMN pruned_seq BIGINT NOT NULL DEFAULT 0;
`;
