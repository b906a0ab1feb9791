/** Spaces between two columns. */
export const gap = 2;

/** Text is not shortened below this many cells while there is another way. */
const comfortable = 40;

/** What the fitting needs to know of a column. */
export interface ColumnSize {
  /** The cells that its widest text takes, the heading included. */
  width: number;
  /** What gives way on a narrow terminal. */
  whenNarrow?: 'leave-out' | 'shorten' | undefined;
}

function totalWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, shown.length - 1);
}

/**
 * Fits columns into a terminal: the width that each gets, 0 for one that is left out.
 *
 * First texts are shortened as far as they stay comfortable to read, then columns are left out from
 * the right. What room that frees, the shortened texts get back. Columns that must stay whole stay
 * so, even when the lines then are too long.
 */
export function fitColumns(columns: readonly ColumnSize[], available: number): number[] {
  const widths = columns.map(({ width, whenNarrow }) =>
    whenNarrow === 'shorten' ? Math.min(width, comfortable) : width,
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
