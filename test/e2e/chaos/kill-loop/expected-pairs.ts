/** Pairs of an event and who it is for, of which there must be one, and of which there may be one. */
export interface Expected {
  must: string[];
  may: string[];
}

/** An event and a webhook or an account that it is for. */
export function pairOf(eventId: string, other: string): string {
  return `${eventId} to ${other}`;
}

/** Finds what is missing, what is there twice, and what must not be there at all. */
export function compareWithBooks(what: string, { must, may }: Expected, found: string[]): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const pair of found) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  for (const pair of must) {
    if (!counts.has(pair)) faults.push(`There are no ${what} of ${pair}.`);
  }
  const allowed = new Set([...must, ...may]);
  for (const [pair, count] of counts) {
    if (!allowed.has(pair)) faults.push(`There are ${what} of ${pair}, whom it is not for.`);
    else if (count > 1) faults.push(`There are ${count} ${what} of ${pair}.`);
  }
  return faults;
}
