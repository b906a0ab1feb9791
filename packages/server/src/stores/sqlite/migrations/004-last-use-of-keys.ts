/** Records when an API key was last used, to the minute. */
export const lastUseOfKeys = `
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
`;
