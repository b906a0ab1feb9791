/** What an account may set of a webhook, and when its limit of attempts allows the next one. */
export const endpointSettings = `
ALTER TABLE webhooks ADD COLUMN description TEXT;
-- JSON, encrypted if there is a secret key; empty without headers.
ALTER TABLE webhooks ADD COLUMN headers TEXT NOT NULL DEFAULT '';
-- Separated by commas.
ALTER TABLE webhooks ADD COLUMN header_names TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN attempts_per_minute INTEGER;
ALTER TABLE queues ADD COLUMN rate_until INTEGER NOT NULL DEFAULT 0;
`;
