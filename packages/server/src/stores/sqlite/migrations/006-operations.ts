/** What operators need: the audit log, and accounts that are suspended or erased. */
export const operations = `
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  -- 'operator' or 'key'.
  actor_type TEXT NOT NULL,
  -- The user and the host, or the ID of the API key. It may no longer exist, nor may the subject or the account.
  actor_id TEXT NOT NULL,
  action TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_id TEXT,
  account_id TEXT,
  -- JSON.
  details TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_log_of_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL;

ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
ALTER TABLE accounts ADD COLUMN suspension_reason TEXT;
-- When its erasure began. What is left of its data then goes in steps.
ALTER TABLE accounts ADD COLUMN erased_at INTEGER;
`;
