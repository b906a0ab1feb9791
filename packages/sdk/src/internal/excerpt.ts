const longest = 200;

/** The first bytes of a body for an error message: on one line, control characters made harmless. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, longest * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return text === '' ? 'an empty body' : 'a blank body';
  return line.length > longest || text.length > longest * 2 ? `${line.slice(0, longest)}…` : line;
}
