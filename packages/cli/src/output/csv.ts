import { stringify } from 'csv-stringify/sync';
import type { InstantFormat } from './format';

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // Some spreadsheets pass over the line feed, and take what follows for a formula.
  return text.startsWith('\n') ? `'${text}` : text;
}

/**
 * CSV as RFC 4180 has it, lines ended by a line feed, a heading first even when the list is empty.
 *
 * It is safe to open in a spreadsheet: a text that one would take for a formula, since it begins
 * with `=`, `+`, `-`, `@`, a tab or a line end, gets a `'` before it.
 */
export function csvFormat<Item extends object>(
  fields: readonly (keyof Item & string)[],
): InstantFormat<Item> {
  let started = false;
  function part(items: readonly Item[]): string {
    const rows = items.map((item) => fields.map((field) => valueText(item[field])));
    const text = stringify(started ? rows : [[...fields], ...rows], { escape_formulas: true });
    started = true;
    return text;
  }
  return {
    part,
    end: () => (started ? '' : part([])),
    one: (item) => part([item]),
  };
}
