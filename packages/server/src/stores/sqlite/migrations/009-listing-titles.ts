/** Adds what a listing offers, for people. */
export const listingTitles = `
ALTER TABLE listings ADD COLUMN title TEXT;
`;
