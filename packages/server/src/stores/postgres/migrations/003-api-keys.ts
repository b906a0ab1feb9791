/** Names and makers of API keys, and what people sign in with. */
export const apiKeysSchema = `
ALTER TABLE api_keys ADD COLUMN name TEXT;
-- Whether it is the key of a person who signed in. It is valid as long as its parent is.
ALTER TABLE api_keys ADD COLUMN session BOOLEAN NOT NULL DEFAULT FALSE;
-- The key that created it; null for the operator.
ALTER TABLE api_keys ADD COLUMN parent_id TEXT COLLATE "C";

-- Those that can be exchanged for a session. Used ones are removed.
CREATE TABLE sign_in_codes (
  hash TEXT COLLATE "C" PRIMARY KEY,
  key_id TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_of_key ON sign_in_codes (key_id ASC, created_at);
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at ASC);
`;

/** The index by which old sessions are found. */
export const apiKeysIndexes = [
  'CREATE INDEX CONCURRENTLY api_keys_sessions ON api_keys (expires_at ASC) WHERE session',
];
