import { stringify } from 'csv-stringify/sync';
import type { InstantFormat } from './format';
import { harmless } from './harmless';

/**
 * Where a spreadsheet that splits at `;`, at tabs or at line ends begins a cell with a formula.
 * It looks back from there: looking ahead would take long for a text of tabs.
 */
const innerFormula = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=[;\t\r\n][\s"]*.)/g;

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  return text.replace(innerFormula, "'$&");
}

/** Some spreadsheets pass over the line feed, and take what follows for a formula. */
function cellText(value: unknown): string {
  const text = valueText(value);
  return text.startsWith('\n') ? `'${text}` : text;
}

/**
 * CSV as RFC 4180 has it, lines ended by a line feed, a heading first even when the list is empty.
 *
 * It is safe to open in a spreadsheet: a text that one would take for a formula, since it begins
 * with `=`, `+`, `-`, `@`, a tab or a line end, gets a `'` before it. So do these four within a text
 * after a `;`, a tab or a line end: a spreadsheet whose cells end there, as many are set up, heeds no
 * quotes that do not begin a cell, so that quotes would not help.
 *
 * @param isShown whether a terminal shows it: what it would act on is printed as its code then
 */
export function csvFormat<Item extends object>(
  fields: readonly (keyof Item & string)[],
  isShown = false,
): InstantFormat<Item> {
  const shown = (value: unknown) => (isShown ? harmless(cellText(value)) : cellText(value));
  let started = false;
  function part(items: readonly Item[]): string {
    const rows = items.map((item) => fields.map((field) => shown(item[field])));
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
