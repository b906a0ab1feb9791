/** What was thrown, by whomever, as words on one line for a message of our own. */
export function reasonOf(thrown: unknown): string {
  const text =
    thrown instanceof Error
      ? thrown.message
      : // Not every object can be made a text.
        typeof thrown === 'object'
        ? 'something that is no Error'
        : String(thrown);
  return text.replace(/\s+/g, ' ');
}
