/** How many places each millisecond has; when more is written in one, it runs on into the next. */
const placesPerMillisecond = 1_024;

/**
 * The first place in the log that an event may have. A line stands behind all that were committed before
 * it, and never before this place: so a place can be told from a moment without a search. Places are whole
 * numbers that JavaScript holds exactly until the year 2248.
 *
 * @param moment When it happens, in milliseconds since 1970; what lies before counts as 1970.
 */
export function firstPlace(moment: number): number {
  return Math.min(Math.max(0, moment) * placesPerMillisecond, Number.MAX_SAFE_INTEGER);
}
