import { stripVTControlCharacters } from 'node:util';
import type { OutputStream } from '../context';

/** Characters that take one cell on every terminal: ASCII, and those that our own texts have: … · █ ░ */
const plainText = /^[\x20-\x7e\u2026\xb7\u2588\u2591]*$/;

let measure: ((text: string) => number) | null = null;

/**
 * Loads the width tables if one of the texts needs them. They take longer to load than the rest of a
 * table, and most tables are plain ASCII.
 */
export async function prepareToMeasure(texts: Iterable<string>): Promise<void> {
  if (measure !== null) return;
  for (const text of texts) {
    if (plainText.test(text)) continue;
    const { stringWidth } = await import('../lazy/string-width');
    measure = (wide) => stringWidth(wide, { countAnsiEscapeCodes: true });
    return;
  }
}

/** Whether `cellWidth` knows the width of a text: not of one that needs the width tables before they are loaded. */
export function isMeasurable(text: string): boolean {
  return measure !== null || plainText.test(text);
}

/**
 * Returns how many cells of a terminal a text takes: two for a wide character, none for a combining one.
 *
 * @throws {Error} for a text that is not plain, without `prepareToMeasure` before
 */
export function cellWidth(text: string): number {
  if (plainText.test(text)) return text.length;
  if (measure === null) throw new Error('prepareToMeasure must come before cellWidth');
  return measure(text);
}

/** Returns the most cells that a text may take: exact only if the width tables are loaded. */
export function maxCellWidth(text: string): number {
  if (plainText.test(text)) return text.length;
  if (measure !== null) return measure(text);
  let cells = 0;
  for (const character of text) cells += character <= '\u02ff' || plainText.test(character) ? 1 : 2;
  return cells;
}

export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

/** Returns the width of a terminal, in cells. Infinity for a pipe, and if the width is unknown (0). */
export function getTerminalWidth({ isTTY, columns }: OutputStream): number {
  return (isTTY === true && columns) || Number.POSITIVE_INFINITY;
}

/** A command in back-quotes is one word: it is copied. */
const wordPattern = /(?:`[^`]*`|\S)+/g;

/** The widest text that is styled has its escape sequences, which take no cell. */
function maxCells(text: string): number {
  return maxCellWidth(text.includes('\u001b') ? stripVTControlCharacters(text) : text);
}

/** What is in quotes is in one word of a shell. */
const shellWordPattern = /(?:'[^']*'|"[^"]*"|\S)+/g;

interface Word {
  text: string;
  cells: number;
  /** Whether the next word belongs to the same command: a line that ends here ends in `\`. */
  continues: boolean;
}

function splitWords(text: string, width: number): Word[] {
  const words = text.match(wordPattern) ?? [];
  return words.flatMap((word) => {
    if (maxCells(word) <= width) return [{ text: word, cells: maxCells(word), continues: false }];
    const isCommand = word.includes('`tradepost ');
    const parts = (isCommand ? word.match(shellWordPattern) : word.split(/\s+/)) ?? [];
    return parts.map((part, index) => ({
      text: part,
      cells: maxCells(part),
      continues: isCommand && index < parts.length - 1,
    }));
  });
}

/** Returns the cells of the widest word that fits into a width. */
export function widestWord(text: string, width: number): number {
  const words = splitWords(text, width).map(({ cells }) => cells);
  return Math.max(0, ...words.filter((cells) => cells <= width));
}

interface Indents {
  /** Of the first line. @default 0 */
  indent?: number;
  /** Of the other lines. @default as the first */
  hanging?: number;
}

/**
 * Breaks a text into lines, between words. What is in back-quotes is one word if it fits into a line at
 * all; a longer command of this program runs as it is copied, with a `\` at the end of each line but the
 * last. A word that needs more room gets a smaller indent. A word that is wider than a line stays whole:
 * the terminal breaks it, and copies it in one piece.
 *
 * @param width cells; Infinity for one line
 */
export function wrap(text: string, width: number, options: Indents = {}): string[] {
  const { indent = 0, hanging = indent } = options;
  if (indent + maxCells(text) <= width) return [' '.repeat(indent) + text];
  return fillLines(splitWords(text, width), width, { indent, hanging });
}

function fillLines(
  words: readonly Word[],
  width: number,
  { indent, hanging }: Required<Indents>,
): string[] {
  const lines: string[] = [];
  let line = '';
  let cells = 0;
  let isInCommand = false;
  for (const { text, cells: wordCells, continues } of words) {
    const room = continues ? width - 2 : width;
    if (line !== '' && cells + 1 + wordCells <= room) {
      line += ` ${text}`;
      cells += 1 + wordCells;
    } else {
      if (line !== '') lines.push(isInCommand ? `${line} \\` : line);
      const wanted = lines.length === 0 ? indent : hanging;
      const spaces = Math.min(wanted, Math.max(0, room - wordCells));
      line = ' '.repeat(spaces) + text;
      cells = spaces + wordCells;
    }
    isInCommand = continues;
  }
  return [...lines, line];
}

/** Below this width a column is too narrow for a text of several lines. */
export const minColumnWidth = 24;

/** Whether a text can stand in a column: on one line, or on several without breaking a word. */
function fitsIntoColumn(text: string, width: number): boolean {
  if (maxCells(text) <= width) return true;
  return width >= minColumnWidth && splitWords(text, width).every(({ cells }) => cells <= width);
}

/**
 * Formats a term and its description: beside it where there is room, else below it.
 *
 * @param term padded, if descriptions are to be aligned
 * @param options.below the indent of a description below its term
 * @param options.least the cells that a description beside its term needs, also if it is short
 */
export function wrapEntry(
  term: string,
  description: string,
  width: number,
  { indent = 0, below, least = 0 }: { indent?: number; below: number; least?: number },
): string[] {
  const start = indent + maxCells(term) + 2;
  const before = `${' '.repeat(indent)}${term}`;
  if (width - start < least || !fitsIntoColumn(description, width - start)) {
    return [before.trimEnd(), ...wrap(description, width, { indent: below })];
  }
  const [first = '', ...others] = wrap(description, width - start);
  return [`${before}  ${first}`, ...others.map((line) => ' '.repeat(start) + line)];
}

/**
 * Breaks a command into lines, between the words of a shell: it runs as it is copied, with a `\` at the
 * end of each line but the last. A word in quotes stays whole, even if it is wider than a line: a line end
 * would be part of it.
 */
export function wrapCommand(command: string, width: number, indent = 0): string[] {
  const cells = maxCells(command);
  if (cells <= width) return [' '.repeat(Math.min(indent, width - cells)) + command];
  const words = command.match(shellWordPattern) ?? [];
  return joinCommand(words, width, indent);
}

/**
 * Joins the words of a command to lines as `wrapCommand` does.
 *
 * @param groups the words; those of a group, such as an option and its value, share a line if they fit
 */
export function wrapWords(groups: readonly (readonly string[])[], width: number): string[] {
  const words = groups.flatMap((group) => {
    const text = group.join(' ');
    return maxCells(text) > width - 2 ? group : [text];
  });
  return joinCommand(words, width, 0);
}

/** Returns the command after a `|`, with it: it gets a line of its own if it fits into one. */
function getPipedCommand(words: readonly string[], index: number): string {
  const end = words.indexOf('|', index + 1);
  return words.slice(index, end === -1 ? undefined : end).join(' ');
}

function joinCommand(words: readonly string[], width: number, indent: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent) + (words[0] ?? '');
  // The last word needs no room for a `\`, but then the lines would be less even.
  const fits = (text: string) => maxCells(line) + 1 + maxCells(text) <= width - 2;
  for (const [index, word] of words.entries()) {
    if (index === 0) continue;
    const piped = word === '|' ? getPipedCommand(words, index) : word;
    if (fits(piped) || (fits(word) && indent + 2 + maxCells(piped) > width - 2)) {
      line += ` ${word}`;
      continue;
    }
    lines.push(`${line} \\`);
    const spaces = Math.min(indent + 2, Math.max(0, width - 2 - maxCells(word)));
    line = ' '.repeat(spaces) + word;
  }
  return [...lines, line];
}
