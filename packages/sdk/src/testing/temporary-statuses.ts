/**
 * The statuses of a response that ask for another attempt later: too slow, still busy with another copy, too early, too many requests,
 * not available. A receiver that responds with one has not judged the delivery.
 */
export const temporaryStatuses: readonly (number | null)[] = [408, 409, 425, 429, 503];
