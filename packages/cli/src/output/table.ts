import { type Column, type Format, formatField } from './format';
import { escapeControlChars, type Style, type StyleName } from './text';

export const gap = 2;

/** Text is shortened below this many cells only after columns were left out. */
const comfortableWidth = 40;

/**
 * Creates the format for people. On a terminal the lines fit its width; elsewhere nothing is shortened or
 * left out. An empty list has no text, not even a heading. When a list comes in parts, a column may get
 * wider with a later part, and never narrower.
 *
 * @param available the terminal's width in cells; Infinity without one
 */
export function createTableFormat<Item extends object>(
  columns: readonly Column<Item>[],
  available: number,
  style: Style,
): Format<Item> {
  const widest = columns.map((column) => column.title.length);
  let started = false;

  /** Renders one line. Its last text is not padded: no line ends in spaces. */
  function renderLine(
    cells: readonly string[],
    widths: readonly number[],
    paint: (text: string, index: number) => string,
  ): string {
    const shown = widths.flatMap((width, index) => (width > 0 ? [{ width, index }] : []));
    const last = shown.findLastIndex(({ index }) => cells[index] !== '');
    const texts = shown.slice(0, last + 1).map(({ width, index }, position) => {
      const column = columns[index];
      const text = cells[index] ?? '';
      const fitted = column?.whenNarrow === 'shorten' ? shorten(text, width) : text;
      const isOpen = position === last && column?.align !== 'right';
      return paint(isOpen ? fitted : pad(fitted, width, column?.align), index);
    });
    return `${texts.join(' '.repeat(gap)).trimEnd()}\n`;
  }

  return {
    async formatItems(items) {
      if (items.length === 0) return '';
      const rows = items.map((item) => columns.map((column) => formatCell(column, item)));
      await prepareToMeasure(rows.flat());
      for (const row of rows) {
        for (const [index, text] of row.entries()) {
          widest[index] = Math.max(widest[index] ?? 0, cellWidth(text));
        }
      }
      const widths = fitColumns(
        columns.map(({ whenNarrow }, index) => ({ width: widest[index] ?? 0, whenNarrow })),
        available,
      );
      const titles = columns.map((column) => column.title);
      const heading = started ? '' : renderLine(titles, widths, (text) => style('bold', text));
      started = true;
      const lines = rows.map((row, position) =>
        renderLine(row, widths, (text, index) => {
          const item = items[position];
          const name = item === undefined ? null : getCellStyle(columns[index], item);
          return name === null ? text : style(name, text);
        }),
      );
      return heading + lines.join('');
    },
    end: () => '',
    formatItem: (item) => formatRecord(item, style),
  };
}

/** Formats a cell. A service may omit a field, or send another type than the specification defines. */
function formatCell<Item extends object>({ field, text }: Column<Item>, item: Item): string {
  const value: unknown = item[field];
  if (value === undefined) return '-';
  let shown: unknown = value;
  try {
    if (text !== undefined) shown = text(item);
  } catch {
    // The value itself is shown.
  }
  return escapeControlChars(typeof shown === 'string' ? shown : formatField(shown));
}

function getCellStyle<Item extends object>(
  column: Column<Item> | undefined,
  item: Item,
): StyleName | null {
  try {
    return column?.style?.(item) ?? null;
  } catch {
    return null;
  }
}

/** Formats a single item: a line `field  value` for each of its fields. */
async function formatRecord(item: object, style: Style): Promise<string> {
  const lines = Object.entries(item).map(
    ([field, value]) =>
      [escapeControlChars(field), escapeControlChars(formatField(value))] as const,
  );
  const fields = lines.map(([field]) => field);
  await prepareToMeasure(fields);
  const width = Math.max(0, ...fields.map(cellWidth));
  return lines
    .map(([field, value]) => `${style('bold', pad(field, width))}  ${value}`.trimEnd().concat('\n'))
    .join('');
}

export interface ColumnSize {
  /** Cells of its widest text, including the heading. */
  width: number;
  whenNarrow?: Column<object>['whenNarrow'] | undefined;
}

function totalWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, shown.length - 1);
}

/**
 * Fits columns into a width. Texts are first shortened as far as they stay comfortable to read, then
 * columns are left out from the right; the shortened texts get the freed space back. Columns that must
 * stay whole do so, even if the lines get too long.
 *
 * @returns the width of each column, 0 if it is left out
 */
export function fitColumns(columns: readonly ColumnSize[], available: number): number[] {
  const widths = columns.map(({ width, whenNarrow }) =>
    whenNarrow === 'shorten' ? Math.min(width, comfortableWidth) : width,
  );
  for (let index = columns.length - 1; index >= 0; index -= 1) {
    if (totalWidth(widths) <= available) break;
    if (columns[index]?.whenNarrow === 'leave-out') widths[index] = 0;
  }
  for (const [index, column] of columns.entries()) {
    if (column.whenNarrow !== 'shorten') continue;
    const width = widths[index] ?? 0;
    const room = available - totalWidth(widths) + width;
    widths[index] = Math.max(Math.min(column.width, room), Math.min(width, 8));
  }
  return widths;
}

/** Created on first use: a segmenter takes longer than the rest of a table. */
let graphemes: Intl.Segmenter | undefined;

/** Takes as many leading characters as fit into a number of cells. */
function takeCells(characters: readonly string[], cells: number): string[] {
  const taken: string[] = [];
  let left = cells;
  for (const character of characters) {
    left -= cellWidth(character);
    if (left < 0) break;
    taken.push(character);
  }
  return taken;
}

/**
 * Shortens a text to a number of cells, at least 1, by an ellipsis inside it. Two thirds of the space
 * go to the end, where a message says what happened. Graphemes are never split.
 */
export function shorten(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const tail = takeCells(characters.toReversed(), Math.floor(((cells - 1) * 2) / 3)).reverse();
  const head = takeCells(characters, cells - 1 - cellWidth(tail.join('')));
  return `${head.join('')}…${tail.join('')}`;
}

export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

/** Characters that take one cell on every terminal. */
const plainText = /^[\x20-\x7e…·█░]*$/;

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
