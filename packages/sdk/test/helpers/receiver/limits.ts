/** The receiver's time, in milliseconds since 1970. */
export const now = Date.parse('2026-11-21T09:30:05.000Z');

/** The maximum size of a body in these tests, in bytes. */
export const maxBytes = 4_096;
