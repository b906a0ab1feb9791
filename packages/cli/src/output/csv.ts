import { stringify } from 'csv-stringify/sync';
import { escapeControlChars } from './text';

/**
 * The start of a formula in a cell that a spreadsheet splits off at `;`, a tab or a line end. The
 * lookbehind keeps it linear for texts of many tabs.
 */
const innerFormula = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=[;\t\r\n][\s"]*.)/g;

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const isTexts = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const text = isTexts
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  const safe = text.replace(innerFormula, "'$&");
  // Some spreadsheets skip a leading line feed, and read what follows as a formula.
  return safe.startsWith('\n') ? `'${safe}` : safe;
}

/**
 * Creates the format for CSV (RFC 4180) with line feeds and a heading, also for an empty list.
 *
 * It is safe to open in a spreadsheet. A text that would be a formula (it begins with `=`, `+`, `-`, `@`,
 * a tab or a line end) gets a `'` before it. So do these four characters after a `;`, a tab or a line end
 * within a text: a spreadsheet that splits there ignores quotes that do not begin a cell.
 *
 * @param isTerminal whether to escape control characters
 */
export function createCsvFormat<Item extends object>(
  fields: readonly (keyof Item & string)[],
  isTerminal = false,
) {
  const format = (value: unknown) =>
    isTerminal ? escapeControlChars(formatCell(value)) : formatCell(value);
  let started = false;
  function formatItems(items: readonly Item[]): string {
    const rows = items.map((item) => fields.map((field) => format(item[field])));
    const text = stringify(started ? rows : [[...fields], ...rows], { escape_formulas: true });
    started = true;
    return text;
  }
  return {
    formatItems,
    end: () => (started ? '' : formatItems([])),
    formatItem: (item: Item) => formatItems([item]),
  };
}
