/** Returns the text of anything that was thrown, on one line, without a final full stop. */
export function getErrorMessage(thrown: unknown): string {
  const text =
    thrown instanceof Error
      ? thrown.message
      : // Some objects cannot be converted to a string.
        typeof thrown === 'object'
        ? 'a value that is not an Error'
        : String(thrown);
  return text.replace(/\s+/g, ' ').replace(/\.$/, '');
}
