/** What an account may set of a webhook, and when its limit of attempts allows the next one. */
export const endpointSettings = `
ALTER TABLE webhooks
  ADD COLUMN description TEXT,
  -- JSON, encrypted if there is a secret key; empty without headers.
  ADD COLUMN headers TEXT COLLATE "C" NOT NULL DEFAULT '',
  -- Separated by commas.
  ADD COLUMN header_names TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN attempts_per_minute BIGINT;
ALTER TABLE queues ADD COLUMN rate_until BIGINT NOT NULL DEFAULT 0;
`;
