import { expect } from 'vitest';

/** Widths of terminals, in cells. */
export const widths = [40, 60, 80, 120, 200];

/** The words of an output. A `\` at the end of a line continues a command. */
export const splitWords = (text: string) =>
  text.replaceAll(/ \\$/gm, '').split(/\s+/).filter(Boolean);

/** One word, which a terminal breaks if it is wider: a URL, or an argument in quotes that is to be copied. */
const oneWord = /^(\S+|'[^']*')( \\)?$/;

/** Expects that the terminal breaks no line inside a word that fits into one. */
export function expectWholeWords(screen: string, columns: number): void {
  const broken = screen.split('\n').filter((line) => line.length > columns && !oneWord.test(line));
  expect(broken, `at ${columns} columns:\n${screen}`).toEqual([]);
}
