/** Pairs of an event and its recipient: those that must exist once, and those that may exist once. */
export interface Expected {
  must: string[];
  may: string[];
}

/** Formats a pair of an event and its recipient, a webhook or an account. */
export function formatPair(eventId: string, recipientId: string): string {
  return `${eventId} to ${recipientId}`;
}

/** Finds pairs that are missing, duplicate or not allowed. */
export function comparePairs(what: string, { must, may }: Expected, found: string[]): string[] {
  const violations: string[] = [];
  const counts = new Map<string, number>();
  for (const pair of found) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  for (const pair of must) {
    if (!counts.has(pair)) violations.push(`There are no ${what} of ${pair}.`);
  }
  const allowed = new Set([...must, ...may]);
  for (const [pair, count] of counts) {
    if (!allowed.has(pair))
      violations.push(`There are ${what} of ${pair}, which is not a recipient.`);
    else if (count > 1) violations.push(`There are ${count} ${what} of ${pair}.`);
  }
  return violations;
}
