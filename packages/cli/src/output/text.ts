import { styleText } from 'node:util';
import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';
import stringWidth from 'fast-string-width';
import type { OutputStream } from '../context';

export type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

export type Style = (name: StyleName, text: string) => string;

/** Returns the style function of a stream. It respects `NO_COLOR` and `FORCE_COLOR`. */
export function getStyle(stream: OutputStream): Style {
  return (name, text) => styleText(name, text, { stream });
}

export function supportsColor(stream: OutputStream): boolean {
  return getStyle(stream)('bold', '-') !== '-';
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** Formats a count with its noun: `1 order`, `2 orders`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Formats alternatives: `confirmed, fulfilling or cancelled`. */
export function formatAlternatives(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** Formats a time to wait: `45 s`, `2 min`. */
export function formatDuration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Escapes text of the service for a terminal, on one line. */
export const escapeControlChars = escapeHiddenCharacters;

/** Escapes the same characters in a JSON text, except its line ends. The JSON keeps its meaning. */
export function escapeControlCharsInJson(json: string): string {
  return escapeHiddenCharacters(json, '\t\n\r');
}

/** Formats a field's value for people: `-` if it is missing. */
export function formatField(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(formatField).join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns how many cells of a terminal a text takes: two for a wide character, none for a combining one and for styles. */
export function cellWidth(text: string): number {
  return stringWidth(text);
}

export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

/** Returns the width of a terminal, in cells. Infinity for a pipe, and if the width is unknown (0). */
export function getTerminalWidth({ isTTY, columns }: OutputStream): number {
  return (isTTY === true && columns) || Number.POSITIVE_INFINITY;
}

/** Created on first use: a segmenter takes longer than the rest of a table. */
let graphemes: Intl.Segmenter | undefined;

function takeCells(characters: readonly string[], cells: number): string[] {
  let left = cells;
  const end = characters.findIndex((character) => {
    left -= cellWidth(character);
    return left < 0;
  });
  return characters.slice(0, end === -1 ? undefined : end);
}

/**
 * Shortens a text to a number of cells, at least 1, by an ellipsis inside it. Two thirds of the space
 * go to the end, where a message says what happened and an ID differs from others. A URL keeps
 * its host, if there is room. Graphemes are never split.
 *
 * @param tailShare the part of the space that goes to the end. @default 2/3
 */
export function shorten(text: string, cells: number, tailShare = 2 / 3): string {
  if (cellWidth(text) <= cells) return text;
  const [, host] = /^(?:https:\/\/|(?=http:\/\/))((?:http:\/\/)?[^/?#\s]+)./.exec(text) ?? [];
  if (host === undefined) return joinEnds(text, cells, Math.floor((cells - 1) * tailShare));
  // This goes without saying.
  const url = text.replace(/^https:\/\//, '');
  if (cellWidth(url) <= cells) return url;
  const room = cells - 1 - cellWidth(host);
  return joinEnds(url, cells, room >= 0 ? room : Math.floor((cells - 1) * tailShare));
}

/** Joins the start and the end of a text to a number of cells, the end first. */
function joinEnds(text: string, cells: number, tailCells: number): string {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const tail = takeCells(characters.toReversed(), tailCells).reverse().join('');
  const head = takeCells(characters, cells - 1 - cellWidth(tail)).join('');
  return `${head}…${tail}`;
}

/** A command in back-quotes is one word: it is copied. */
function splitWords(text: string): string[] {
  return text.match(/(?:`[^`]*`|\S)+/g) ?? [];
}

export function widestWord(text: string): number {
  return Math.max(0, ...splitWords(text).map(cellWidth));
}

interface Indents {
  indent?: number;
  hanging?: number;
}

/**
 * Breaks a text into lines, between words. What is in back-quotes is one word if it fits into a line at all; a longer
 * command is broken as `wrapCommand` does. A word that is wider than a line stays whole, with a smaller indent: the
 * terminal breaks it, and copies it in one piece.
 *
 * @param width cells; Infinity for one line
 */
export function wrap(text: string, width: number, options: Indents = {}): string[] {
  const { indent = 0, hanging = indent } = options;
  if (indent + cellWidth(text) <= width) return [' '.repeat(indent) + text];
  const words = splitWords(text).flatMap((word) => {
    if (cellWidth(word) <= width) return [word];
    return word.includes('`tradepost ') ? wrapCommand(word, width - hanging) : word.split(/\s+/);
  });
  return fillLines(words, width, { indent, hanging });
}

function fillLines(words: readonly string[], width: number, indents: Required<Indents>): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && !line.endsWith(' \\') && cellWidth(line) + 1 + cellWidth(word) <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    const spaces = Math.min(
      lines.length === 0 ? indents.indent : indents.hanging,
      width - cellWidth(word),
    );
    line = ' '.repeat(Math.max(0, spaces)) + word;
  }
  return [...lines, line];
}

/** What is in quotes, or after a backslash, is in one word of a shell. */
const shellWord = /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\S)+/gs;

const optionOrWord = new RegExp(`(?:--?[\\w-]+ (?=[^-|\\s]))?${shellWord.source}`, 'gs');

/**
 * Breaks a command into lines, between the words of a shell: it runs as it is copied, with a `\` at the end of each
 * line but the last. A word in quotes stays whole, since a line end would be part of it.
 */
export function wrapCommand(command: string, width: number, indent = 0): string[] {
  if (indent + cellWidth(command) <= width) return [' '.repeat(indent) + command];
  const hanging = indent + 2;
  const pairs = command.match(optionOrWord) ?? [];
  const words = pairs.flatMap((pair) =>
    hanging + cellWidth(pair) <= width - 2 ? [pair] : (pair.match(shellWord) ?? []),
  );
  const lines = fillLines(words, width - 2, { indent, hanging });
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

/** Below this width a column is too narrow for a text of several lines. */
export const minColumnWidth = 24;

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
  const start = indent + cellWidth(term) + 2;
  const before = `${' '.repeat(indent)}${term}`;
  const room = width - start;
  const isColumn = room >= Math.max(minColumnWidth, widestWord(description));
  if (room < least || !(isColumn || cellWidth(description) <= room)) {
    return [before.trimEnd(), ...wrap(description, width, { indent: below })];
  }
  const [first = '', ...others] = wrap(description, room);
  return [`${before}  ${first}`, ...others.map((line) => ' '.repeat(start) + line)];
}
