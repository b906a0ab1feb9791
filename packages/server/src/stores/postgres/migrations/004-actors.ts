/**
 * Who caused each event. Null for events from before, of which that is not known, and for those of older servers. Neither column has
 * a constraint or a default, so that the table is locked for a moment only.
 */
export const actors = `
ALTER TABLE events
  ADD COLUMN IF NOT EXISTS actor_id TEXT COLLATE "C",
  ADD COLUMN IF NOT EXISTS actor_kind TEXT COLLATE "C";
`;
