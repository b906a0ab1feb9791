/** Who caused each event. Null for events from before, of which that is not known. */
export const actors = `
ALTER TABLE events ADD COLUMN actor_id TEXT;
ALTER TABLE events ADD COLUMN actor_kind TEXT;
`;
