import { stringify } from 'csv-stringify/sync';
import type { Format } from './format';

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

/**
 * CSV as RFC 4180 has it, lines ended by a line feed, a heading first even when the list is empty.
 *
 * It is safe to open in a spreadsheet: a text that one would take for a formula, since it begins
 * with `=`, `+`, `-`, `@`, a tab or a carriage return, gets a `'` before it.
 */
export function csvFormat<Item extends object>(
  fields: readonly (keyof Item & string)[],
): Format<Item> {
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
