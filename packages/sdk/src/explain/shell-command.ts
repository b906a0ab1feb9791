import { hiddenCharacters as pattern } from '@tradepost/contract/hidden-characters';

/**
 * Matches a character that nobody sees, or that changes what others look like: control and format characters, line ends, marks of
 * direction. Such a text is not what it seems. It is not global, so `test` remembers nothing.
 */
export const hiddenCharacters: RegExp = pattern;

/**
 * Joins words to a command of a POSIX shell, each quoted as it needs. No word can end the command or start another one.
 *
 * @param words the program and its arguments
 * @returns null if a word has characters that nobody sees, such as one that turns the direction of the text: such a command is not to
 * be copied
 */
export function toCommand(words: readonly string[]): string | null {
  if (words.some((word) => hiddenCharacters.test(word))) return null;
  return words.map(quoteWord).join(' ');
}

function quoteWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
