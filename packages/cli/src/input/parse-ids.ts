import { CliError, getErrorMessage, isRecord, truncate } from '../errors/cli-error';
import { type IdPrefix, isId, nouns } from './options';

/** An ID with what is beside it. */
export interface InputRow {
  id: string;
  /** The cell or field that was requested; undefined without one. */
  value: unknown;
  /** Its position: `Line 3`, `Item 3`. */
  where: string;
}

type Candidate = Omit<InputRow, 'id'> & { id: unknown };

/** The columns of CSV or fields of JSON that are read. */
interface Columns {
  /** @default of CSV the one whose cells are IDs, of JSON `id` */
  idColumn?: string | undefined;
  /** @default none */
  valueColumn?: string | undefined;
}

interface Found {
  rows: Candidate[];
  /** The heading of the column with the IDs, or its number, if only its cells say so. */
  column: string | null;
}

/** The start of a workbook, which is a ZIP archive. */
const workbook = /^PK\p{Cc}{2}/u;

/** What some programs write before the heading. */
const preamble = /^(#TYPE .*|sep=.)(?=\r?\n)/;

/**
 * Parses IDs out of what another command or a spreadsheet made: plain IDs, JSON (an array, or an object
 * per line), or CSV. It detects the format.
 *
 * @returns each ID once, in the order of the input, and the number of repetitions
 * @throws {CliError} `usage` if anything is not an ID: then nothing may be done
 */
export async function parseIds(
  text: string,
  prefix: IdPrefix,
  columns: Columns = {},
): Promise<{ rows: InputRow[]; repeated: number; column: string | null }> {
  if (workbook.test(text)) {
    throw invalidInput('Input is a workbook', 'Save the sheet as "CSV UTF-8".');
  }
  const found = await findRows(text.replace(preamble, ''), prefix, columns);
  const faults = found.rows.filter(({ id }) => !isIdOf(id, prefix));
  const [first, ...others] = faults;
  if (first !== undefined) throw invalidId(first, others.length, prefix);
  const { valueColumn } = columns;
  const hasNoValue = found.rows.every(({ value }) => value === undefined);
  if (valueColumn !== undefined && hasNoValue && found.rows.length > 0) {
    throw invalidInput(`No item has the field '${valueColumn}'`, 'Name one that they have.');
  }
  const rows = new Map<string, InputRow>();
  for (const row of found.rows as InputRow[]) {
    const before = rows.get(row.id);
    if (before !== undefined && before.value !== row.value) {
      throw invalidInput(
        `${row.where} has ${row.id} with another value than ${before.where.toLowerCase()}`,
        'Keep one of them.',
      );
    }
    if (before === undefined) rows.set(row.id, row);
  }
  const { column } = found;
  return { rows: [...rows.values()], repeated: found.rows.length - rows.size, column };
}

function isIdOf(value: unknown, prefix: IdPrefix): value is string {
  return typeof value === 'string' && isId(value, prefix);
}

async function findRows(text: string, prefix: IdPrefix, columns: Columns): Promise<Found> {
  const start = text.trimStart();
  if (start === '') return { rows: [], column: null };
  if (start.startsWith('[')) return parseArray(text, columns);
  if (start.startsWith('{')) return parseObjects(text, columns);
  const words = splitWords(text);
  if (!isChosen(columns) && words.rows.every(({ id }) => isIdOf(id, prefix))) return words;
  return (await findTable(text, prefix, columns)) ?? words;
}

function isChosen({ idColumn, valueColumn }: Columns): boolean {
  return idColumn !== undefined || valueColumn !== undefined;
}

function splitWords(text: string): Found {
  const rows = text.split(/\r\n|\n|\r/).flatMap((line, index) =>
    line.split(/\s+/).flatMap((word) => {
      // `jq` prints strings with quotes by default.
      const id = word.replace(/^"(.*)"$/, '$1');
      return id === '' ? [] : [{ id, value: undefined, where: `Line ${index + 1}` }];
    }),
  );
  return { rows, column: null };
}

function parseArray(text: string, columns: Columns): Found {
  const items = tryParseJson(text);
  if (items instanceof SyntaxError) throw notJson('Input is not a JSON array', items);
  const rows = (items as unknown[]).map((item, index) =>
    typeof item === 'string'
      ? { id: item, value: undefined, where: `Item ${index + 1}` }
      : readObject(item, columns, `Item ${index + 1}`),
  );
  return { rows, column: null };
}

/** Parses `--output ndjson`, or a single object in any layout. */
function parseObjects(text: string, columns: Columns): Found {
  const whole = tryParseJson(text);
  if (!(whole instanceof SyntaxError)) {
    return { rows: [readObject(whole, columns, 'The object')], column: null };
  }
  const rows = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `Line ${index + 1}`;
    const item = tryParseJson(line);
    if (item instanceof SyntaxError) throw notJson(`${where} is not JSON`, item);
    return [readObject(item, columns, where)];
  });
  return { rows, column: null };
}

function readObject(item: unknown, { idColumn = 'id', valueColumn }: Columns, where: string) {
  const fields = isRecord(item) ? item : {};
  const value = valueColumn === undefined ? undefined : fields[valueColumn];
  return { id: fields[idColumn], value, where };
}

interface TableRow {
  cells: readonly string[];
  where: string;
}

/**
 * Finds a table in a text, with the delimiter with which a column has IDs. Where the comma is the decimal separator,
 * spreadsheets write semicolons.
 *
 * @returns null if the text has lines of words
 * @throws {CliError} `usage` for a table whose columns are not clear
 */
async function findTable(text: string, prefix: IdPrefix, columns: Columns): Promise<Found | null> {
  const [head = ''] = text.trimStart().split(/[\r\n]/, 1);
  const found = [',', ';', '\t'].filter((mark) => text.includes(mark));
  const failures: { error: unknown; width: number }[] = [];
  for (const mark of found.length > 0 ? found : [',']) {
    try {
      return readTable(await parseRows(text, mark), prefix, columns);
    } catch (error) {
      failures.push({ error, width: head.split(mark).length });
    }
  }
  const [widest] = failures.sort((one, other) => other.width - one.width);
  if (widest !== undefined && (widest.width > 1 || isChosen(columns))) throw widest.error;
  return null;
}

/** Parses `--output csv`, or what a spreadsheet made of it. Empty rows are left out. */
async function parseRows(text: string, delimiter: string): Promise<TableRow[]> {
  const { parse } = await import('../lazy/csv-parse');
  try {
    // Line ends may be mixed. Those within quotes have no meaning here.
    const lines = text.replace(/\r\n?/g, '\n');
    const rows: TableRow[] = [];
    parse(lines, {
      delimiter,
      record_delimiter: '\n',
      // Spreadsheets omit the empty cells at the end of a row, and keep rows that were cleared. A title is one cell.
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      on_record(cells: string[], info) {
        // The library keeps the spaces at which no line is broken.
        rows.push({ cells: cells.map((cell) => cell.trim()), where: `Line ${info.lines}` });
      },
    });
    return rows;
  } catch (error) {
    throw invalidInput(
      `Input is not valid CSV: ${getErrorMessage(error)}`,
      'Create it with `--output csv`, or save it as CSV again.',
    );
  }
}

/** A heading that may rather be an ID with a mistake: one word with a number. */
const brokenId = /^\S*\d\d\S*$/;

/**
 * Reads the columns of a table. If its first row has an ID, it has no heading.
 *
 * @returns null for words in lines
 * @throws {CliError} `usage` if it is not clear which columns are meant
 */
function readTable(all: readonly TableRow[], prefix: IdPrefix, columns: Columns): Found | null {
  const rows = all.slice(countTitles(all, prefix));
  const [first, ...others] = rows;
  const cells = first?.cells ?? [];
  const tooLong = others.find((row) => row.cells.length > cells.length);
  if (tooLong !== undefined) {
    throw invalidInput(
      `Input is not valid CSV: more cells than in ${first?.where.toLowerCase()} on ${tooLong.where.toLowerCase()}`,
      'Put cells that have the separator in quotes.',
    );
  }
  const isNamed = (cell: string) => isIdHeading(cell, prefix);
  const hasHeading =
    isChosen(columns) || cells.some(isNamed) || !cells.some((cell) => isId(cell, prefix));
  if (!hasHeading && cells.length === 1) return null;
  const headings = hasHeading ? cells : cells.map((_, index) => `${index + 1}`);
  const data = hasHeading ? others : rows;
  const { idColumn, valueColumn } = columns;
  const at =
    idColumn === undefined
      ? findIdColumn(headings, data, prefix)
      : findColumn(headings, idColumn, idColumnHint);
  const valueAt =
    valueColumn === undefined ? null : findColumn(headings, valueColumn, statusColumnHint);
  const heading = headings[at] ?? '';
  const isClear = idColumn !== undefined || isNamed(heading);
  return {
    rows: (hasHeading && !isClear && brokenId.test(heading) ? rows : data).map((row) => ({
      id: row.cells[at] ?? '',
      value: valueAt === null ? undefined : (row.cells[valueAt] ?? ''),
      where: row.where,
    })),
    column: isClear ? null : heading,
  };
}

/**
 * Returns how many rows above the heading have titles: with fewer cells than the heading, which is the row above the first ID;
 * or with a single cell that does not name a column of IDs.
 */
function countTitles(rows: readonly TableRow[], prefix: IdPrefix): number {
  const firstId = rows.findIndex(({ cells }) => cells.some((cell) => isId(cell, prefix)));
  const fill = ({ cells }: TableRow) => cells.filter((cell) => cell !== '');
  const heading = rows[firstId - 1];
  const width = heading === undefined ? 0 : fill(heading).length;
  const count = rows.findIndex((row) => {
    const [first = '', ...more] = fill(row);
    const isTitle = more.length === 0 || more.length + 1 < width;
    return !isTitle || isIdHeading(first, prefix);
  });
  // The row above the first ID may be a heading of one cell.
  return Math.max(0, Math.min(count, firstId - 1));
}

/** Whether a column has the IDs: `id`, or for orders `order_id`, `Order ID`, `orderId` or `ORDER-ID`. */
function isIdHeading(name: string, prefix: IdPrefix): boolean {
  const plain = name.replace(/[\s_-]+/g, '').toLowerCase();
  return ['id', `${nouns[prefix]}id`, `${prefix}id`].includes(plain);
}

/** Finds the column that has IDs; of several, the one whose heading says so. */
function findIdColumn(
  headings: readonly string[],
  rows: readonly TableRow[],
  prefix: IdPrefix,
): number {
  const all = headings.map((_, index) => index);
  const named = all.filter((index) => isIdHeading(headings[index] ?? '', prefix));
  const filled = all.filter((index) => rows.some(({ cells }) => isId(cells[index] ?? '', prefix)));
  const both = filled.filter((index) => named.includes(index));
  const found = [both, filled, named].find(({ length }) => length > 0) ?? [];
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const what = only === undefined ? 'No column has' : 'Several columns have';
  const names = only === undefined ? headings : found.map((index) => headings[index] ?? '');
  throw columnsError(`${what} ${nouns[prefix]} IDs`, names);
}

function findColumn(headings: readonly string[], name: string, hint: string): number {
  const wanted = name.trim().toLowerCase();
  const found = headings.flatMap((heading, at) => (heading.toLowerCase() === wanted ? [at] : []));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const what = only === undefined ? 'No column' : `${found.length} columns have the name`;
  throw columnsError(`${what} '${truncate(name)}'`, headings, hint);
}

const idColumnHint = 'Name the column with the IDs: --id-column NAME.';
const statusColumnHint = 'Name the column with the statuses: --status-column NAME.';

function columnsError(message: string, names: readonly string[], hint = idColumnHint): CliError {
  const list = names.map((name) => `'${truncate(name)}'`).join(', ');
  return invalidInput(`${message}: ${list}`, hint);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function invalidInput(message: string, hint: string): CliError {
  return new CliError('usage', message, `Nothing changed. ${hint}`);
}

function notJson(what: string, { message }: SyntaxError): CliError {
  return invalidInput(`${what}: ${message}`, 'Use one array, or one object per line (`jq -c`).');
}

function invalidId({ id, where }: Candidate, others: number, prefix: IdPrefix): CliError {
  const noun = nouns[prefix];
  const value = id === undefined ? '' : ` (${truncate(JSON.stringify(id))})`;
  const more = others > 0 ? `, nor have ${others} more` : '';
  return invalidInput(
    `${where} has no ${noun} ID${value}${more}`,
    `IDs begin with ${prefix}_. --id-column NAME names the column or field that has them.`,
  );
}
