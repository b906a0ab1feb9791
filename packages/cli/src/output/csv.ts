import { stringify } from 'csv-stringify/sync';
import type { CliContext } from '../context';
import type { OutputOptions } from '../input/options';
import { escapeControlChars } from './text';
import type { Times } from './times';

/**
 * The start of a formula in a cell that a spreadsheet splits off at `;`, a tab or a line end. The
 * lookbehind keeps it linear for texts of many tabs.
 */
const innerFormula = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=[;\t\r\n][\s"]*.)/g;

/** The same at a comma, which is not quoted where it is not the delimiter. */
const commaFormula = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=[,;\t\r\n][\s"]*.)/g;

function formatCell(value: unknown, formula: RegExp): string {
  if (value === null || value === undefined) return '';
  const isTexts = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const text = isTexts
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  const safe = text.replace(formula, "'$&");
  // Some spreadsheets skip a leading line feed, and read what follows as a formula.
  return safe.startsWith('\n') ? `'${safe}` : safe;
}

interface Dialect {
  /** @default , */
  delimiter?: string;
  bom?: boolean;
}

/**
 * Chooses the dialect of the options. Excel reads UTF-8 only after a byte order mark, and expects the list separator of
 * the locale: a semicolon where the comma is in numbers, and in Switzerland.
 */
export function chooseDialect(
  { excel, separator }: Pick<OutputOptions, 'excel' | 'separator'>,
  env: CliContext['env'],
): Dialect {
  const delimiter = separator === 'tab' ? '\t' : (separator ?? (excel ? listSeparator(env) : ','));
  return { delimiter, bom: excel === true };
}

function listSeparator({ LC_ALL, LC_NUMERIC, LANG }: CliContext['env']): string {
  const [name = ''] = (LC_ALL || LC_NUMERIC || LANG || '').split(/[.@]/);
  try {
    const numbers = new Intl.NumberFormat(name.replace('_', '-') || undefined);
    const isSwiss = numbers.resolvedOptions().locale.endsWith('-CH');
    return isSwiss || numbers.format(0.5).includes(',') ? ';' : ',';
  } catch {
    // No language: `C`, `POSIX`.
    return ',';
  }
}

interface CsvOptions extends Dialect {
  isTerminal?: boolean;
  times?: Times | null;
}

/**
 * Creates the format for CSV (RFC 4180) with line feeds and a heading, also for an empty list.
 *
 * It is safe to open in a spreadsheet. A text that would be a formula (it begins with `=`, `+`, `-`, `@`,
 * a tab or a line end) gets a `'` before it. So do these four characters after a `;`, a tab or a line end
 * within a text: a spreadsheet that splits there ignores quotes that do not begin a cell. With another delimiter
 * than a comma, also after a comma.
 */
export function createCsvFormat<Item extends object>(
  fields: readonly (keyof Item & string)[],
  { isTerminal = false, times = null, delimiter = ',', bom = false }: CsvOptions = {},
) {
  const format = (field: string, value: unknown) => {
    const shown = times?.isTime(field, value) ? times.inRow(value) : value;
    const cell = formatCell(shown, delimiter === ',' ? innerFormula : commaFormula);
    return isTerminal ? escapeControlChars(cell) : cell;
  };
  let started = false;
  function formatItems(items: readonly Item[]): string {
    const rows = items.map((item) => fields.map((field) => format(field, item[field])));
    const text = stringify(started ? rows : [[...fields], ...rows], {
      escape_formulas: true,
      delimiter,
      bom: bom && !started && !isTerminal,
    });
    started = true;
    return text;
  }
  return {
    formatItems,
    end: () => (started ? '' : formatItems([])),
    formatItem: (item: Item) => formatItems([item]),
  };
}
