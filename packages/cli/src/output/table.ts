import { pad, shorten } from './cell';
import { cellWidth, prepareToMeasure } from './cell-width';
import type { Column } from './column';
import { fieldText } from './field-text';
import { fitColumns, gap } from './fit-columns';
import type { Format } from './format';
import { harmless } from './harmless';
import { recordText } from './record';
import type { Look, Style } from './style';

/**
 * Tables for people. On a terminal the lines fit its width; elsewhere nothing is shortened or left
 * out. An empty list has no text at all, not even a heading.
 *
 * A long list comes in parts: a column gets wider when a later part needs it, and never narrower.
 *
 * @param available the terminal's width in cells; Infinity where there is none
 */
export function tableFormat<Item extends object>(
  columns: readonly Column<Item>[],
  available: number,
  style: Style,
): Format<Item> {
  const widest = columns.map((column) => column.title.length);
  let started = false;

  /** One line. Its last text is not filled up: no line ends in spaces. */
  function line(
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
    async part(items) {
      if (items.length === 0) return '';
      const rows = items.map((item) => columns.map((column) => cellText(column, item)));
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
      const heading = started ? '' : line(titles, widths, (text) => style('bold', text));
      started = true;
      const lines = rows.map((row, position) =>
        line(row, widths, (text, index) => {
          const item = items[position];
          const look = item === undefined ? null : lookOf(columns[index], item);
          return look === null ? text : style(look, text);
        }),
      );
      return heading + lines.join('');
    },
    end: () => '',
    one: (item) => recordText(item, style),
  };
}

/** What a cell shows. A service may leave a field out, or send another thing than the interface says. */
function cellText<Item extends object>({ field, text }: Column<Item>, item: Item): string {
  const value: unknown = item[field];
  if (value === undefined) return '-';
  let shown: unknown;
  try {
    shown = text(item);
  } catch {
    shown = value;
  }
  return harmless(typeof shown === 'string' ? shown : fieldText(shown));
}

function lookOf<Item extends object>(column: Column<Item> | undefined, item: Item): Look | null {
  try {
    return column?.look?.(item) ?? null;
  } catch {
    return null;
  }
}
