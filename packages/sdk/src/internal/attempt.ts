/** Which attempt of which call it is. */
export interface Attempt {
  method: string;
  /** The path with its parameters filled in, without a query. */
  path: string;
  /** Counted from 1. */
  number: number;
}

/** The request's id and the number of attempts, for the end of an error's message. */
export function footnote({ number }: Attempt, requestId: string | null): string {
  const notes: string[] = [];
  if (requestId !== null) notes.push(`request ${requestId}`);
  if (number > 1) notes.push(`${number} attempts`);
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}
