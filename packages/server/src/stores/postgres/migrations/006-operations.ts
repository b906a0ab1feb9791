/** What operators need: the audit log, and accounts that are suspended or erased. */
export const operations = `
CREATE TABLE audit_log (
  id TEXT COLLATE "C" PRIMARY KEY,
  at BIGINT NOT NULL,
  -- 'operator' or 'key'.
  actor_type TEXT COLLATE "C" NOT NULL,
  -- The user and the host, or the ID of the API key. It may no longer exist, nor may the subject or the account.
  actor_id TEXT NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  subject_type TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C",
  account_id TEXT COLLATE "C",
  -- JSON.
  details TEXT NOT NULL
);
CREATE INDEX audit_log_of_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL;

ALTER TABLE accounts ADD COLUMN suspended_at BIGINT;
ALTER TABLE accounts ADD COLUMN suspension_reason TEXT;
-- When its erasure began. What is left of its data then goes in steps.
ALTER TABLE accounts ADD COLUMN erased_at BIGINT;
`;
