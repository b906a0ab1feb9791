import {
  cellWidth,
  escapeControlChars,
  formatField,
  minColumnWidth,
  pad,
  type Style,
  type StyleName,
  shorten,
  widestWord,
  wrap,
  wrapEntry,
} from './text';
import type { Times } from './times';
import type { Column, Format } from './view';

export const gap = 2;

/** Text is shortened and wrapped below this many cells only after columns were left out. */
const comfortableWidth = 40;

/**
 * Creates the format for people. On a terminal the lines fit its width; elsewhere nothing is shortened,
 * wrapped or left out. An empty list has no text, not even a heading. When a list comes in parts, a column
 * may get wider with a later part, and never narrower. On a terminal that is too narrow for the columns
 * that stay whole, or for words that are wrapped, each item is a record of its own, from there on.
 *
 * @param available the terminal's width in cells; Infinity without one
 * @param times how times are shown; null for ISO 8601, UTC
 */
export function createTableFormat<Item extends object>(
  columns: readonly Column<Item>[],
  available: number,
  style: Style,
  times: Times | null = null,
): Format<Item> {
  const titles = columns.map((column) => column.title);
  const sizes: ColumnSize[] = columns.map(({ title, minWidth = 0, whenNarrow }) => ({
    width: Math.max(title.length, minWidth),
    whenNarrow,
  }));
  let started = false;
  let areRecords = false;

  function widen(rows: readonly string[][]): void {
    for (const [index, size] of sizes.entries()) {
      const texts = rows.map((row) => row[index] ?? '');
      size.width = Math.max(size.width, ...texts.map(cellWidth));
      if (size.whenNarrow === 'shorten' && texts.some((text) => wholeId.test(text))) {
        size.whenNarrow = 'leave-out';
      }
      if (size.whenNarrow !== 'wrap') continue;
      size.least = Math.max(size.least ?? minColumnWidth, ...texts.map(widestWord));
    }
  }

  function fitCell(text: string, index: number, width = 0): string[] {
    const whenNarrow = columns[index]?.whenNarrow;
    if (whenNarrow === 'wrap') return wrap(text, width);
    return [whenNarrow === 'shorten' ? shorten(text, width) : text];
  }

  type Paint = (text: string, index: number) => string;

  /** Renders one line. Its last text is not padded: no line ends in spaces. */
  function renderLine(cells: readonly string[], widths: readonly number[], paint: Paint): string {
    const shown = widths.flatMap((width, index) => (width > 0 ? [{ width, index }] : []));
    const last = shown.findLastIndex(({ index }) => cells[index] !== '');
    const texts = shown.slice(0, last + 1).map(({ width, index }, position) => {
      const { align } = columns[index] ?? {};
      const text = cells[index] ?? '';
      const isOpen = position === last && align !== 'right';
      return paint(isOpen ? text : pad(text, width, align), index);
    });
    return `${texts.join(' '.repeat(gap)).trimEnd()}\n`;
  }

  function renderRow(cells: readonly string[][], widths: readonly number[], paint: Paint): string {
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      renderLine(
        cells.map((lines) => lines[line] ?? ''),
        widths,
        paint,
      ),
    ).join('');
  }

  const titleWidth = Math.max(0, ...titles.map((title) => title.length));

  function renderRecord(cells: readonly string[], paint: Paint): string {
    const lines = cells.flatMap((text, index) =>
      text === ''
        ? []
        : renderField(titles[index] ?? '', paint(text, index), titleWidth, available, style),
    );
    return lines.map((line) => `${line}\n`).join('');
  }

  return {
    formatItems(items) {
      if (items.length === 0) return '';
      const rows = items.map((item) => columns.map((column) => formatCell(column, item, times)));
      widen(rows);
      const widths = fitColumns(sizes, available);
      areRecords ||= totalWidth(widths) > available;
      const isFirst = !started;
      started = true;
      const painter = (position: number) => (text: string, index: number) => {
        const item = items[position];
        const name = item === undefined ? null : getCellStyle(columns[index], item);
        return name === null ? text : style(name, text);
      };
      if (areRecords) {
        const records = rows.map((row, position) => renderRecord(row, painter(position)));
        return `${isFirst ? '' : '\n'}${records.join('\n')}`;
      }
      const heading = isFirst ? renderLine(titles, widths, (text) => style('bold', text)) : '';
      const lines = rows.map((row, position) => {
        const cells = row.map((text, index) => fitCell(text, index, widths[index]));
        return renderRow(cells, widths, painter(position));
      });
      return heading + lines.join('');
    },
    end: () => '',
    formatItem: (item) => formatRecord(item, available, style, times),
  };
}

/** Formats a cell. A service may omit a field, or send another type than the specification defines. */
function formatCell<Item extends object>(
  { field, text }: Column<Item>,
  item: Item,
  times: Times | null,
): string {
  const value: unknown = item[field];
  if (value === undefined) return '-';
  if (text === undefined && times?.isTime(field, value)) return times.inRow(value);
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

function formatRecord(item: object, available: number, style: Style, times: Times | null): string {
  const fields = Object.entries(item).map(([field, value]) => {
    const text = times?.isTime(field, value) ? times.alone(value) : formatField(value);
    return [escapeControlChars(field), escapeControlChars(text)] as const;
  });
  const names = fields.map(([name]) => name);
  const width = Math.max(0, ...names.map(cellWidth));
  return fields
    .flatMap(([name, value]) => renderField(name, value, width, available, style))
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the lines of a field of a record: its value is beside its name, or below it if it is too long. */
function renderField(
  name: string,
  value: string,
  nameWidth: number,
  available: number,
  style: Style,
): string[] {
  const [first = '', ...others] = wrapEntry(pad(name, nameWidth), value, available, { below: 2 });
  const rest = first.slice(name.length).trimEnd();
  return [`${style('bold', first.slice(0, name.length))}${rest}`, ...others];
}

/** An ID is copied: a column of IDs is left out rather than shortened. */
const wholeId = /^[a-z]{3}_[0-9A-Z]{26}$/;

export interface ColumnSize {
  width: number;
  /** The least cells of a column that is wrapped or shortened. @default 8 */
  least?: number;
  whenNarrow?: Column<object>['whenNarrow'] | undefined;
}

function totalWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, shown.length - 1);
}

/**
 * Fits columns into a width. Texts are first shortened and wrapped as far as they stay comfortable to read.
 * Then columns get narrower or are left out, from the right. The freed space goes to the shortened texts,
 * and to the first column that was left out and fits. Columns that must stay whole do so, even if the lines get too long.
 *
 * @returns the width of each column, 0 if it is left out
 */
export function fitColumns(columns: readonly ColumnSize[], available: number): number[] {
  const isFlexible = ({ whenNarrow }: ColumnSize) =>
    whenNarrow === 'shorten' || whenNarrow === 'wrap';
  const leastWidth = ({ width, least = 8 }: ColumnSize) => Math.min(width, least);
  const widths = columns.map((column) =>
    isFlexible(column)
      ? Math.max(Math.min(column.width, comfortableWidth), leastWidth(column))
      : column.width,
  );
  const entries = [...columns.entries()];
  for (const [index, column] of entries.toReversed()) {
    if (totalWidth(widths) <= available) break;
    if (isFlexible(column)) widths[index] = leastWidth(column);
    if (column.whenNarrow === 'leave-out') widths[index] = 0;
  }
  for (const [index, column] of entries.filter(([, column]) => isFlexible(column))) {
    const room = available - totalWidth(widths) + (widths[index] ?? 0);
    widths[index] = Math.max(Math.min(column.width, room), leastWidth(column));
  }
  const room = available - totalWidth(widths) - gap;
  const again = entries.find(([index, { width }]) => widths[index] === 0 && width <= room);
  if (again !== undefined) widths[again[0]] = again[1].width;
  return widths;
}
