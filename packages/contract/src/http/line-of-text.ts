import { hiddenCharacters } from './hidden-characters';

/** Says what one line of text is, after "must be". */
export function lineForm(maxLength: number): string {
  return `1 to ${maxLength} characters on one line, without control characters and others that nobody sees, and without white space at its start or end`;
}

/**
 * Returns whether a text is one line that people see whole.
 *
 * @param maxLength Characters (Unicode code points).
 */
export function isLine(text: string, maxLength: number): boolean {
  const pattern = new RegExp(`^(?=\\S).{1,${maxLength}}(?<=\\S)$`, 'su');
  return pattern.test(text) && !hiddenCharacters.test(text);
}

/** What the regular expressions of other languages can say of it: they do not all know the classes of `hiddenCharacters`. */
const portablePattern =
  '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$';

/** Returns what a JSON Schema says of it. */
export function lineMeta(maxLength: number) {
  return { minLength: 1, maxLength, pattern: portablePattern };
}
