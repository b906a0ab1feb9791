import type { CliContext } from '../context';
import { CliError, getErrorMessage, isRecord, truncate } from '../errors/cli-error';
import { type IdPrefix, isId, nouns } from './options';

/**
 * Reads stdin to its end.
 *
 * @param what the name of the input, in the plural
 * @throws {CliError} `usage` if stdin is a terminal, `interrupted`, `input_unreadable`
 */
export async function readInput(context: CliContext, what: string): Promise<Buffer> {
  const stdin = context.stdin();
  if (stdin.isTTY === true) {
    throw new CliError(
      'usage',
      `Stdin is a terminal: ${what} must come from a file or a pipe`,
      'For example: `tradepost … < FILE`, or `other-command | tradepost …`.',
    );
  }
  const stop = () => stdin.destroy(new CliError('interrupted', 'Interrupted. Nothing changed.'));
  context.signal.addEventListener('abort', stop);
  if (context.signal.aborted) stop();
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('input_unreadable', `Cannot read stdin: ${getErrorMessage(error)}`);
  } finally {
    context.signal.removeEventListener('abort', stop);
  }
}

/** A candidate for an ID and its position: `Line 3`, `Item 3`. */
interface Candidate {
  id: unknown;
  where: string;
}

/** The start of UTF-16, with and without a byte order mark, and of a binary spreadsheet. */
const notUtf8 = /^(\ufffd\ufffd|.?\0|PK\p{Cc}{2})/su;

/**
 * Parses IDs out of what another command or a spreadsheet made: plain IDs, JSON (an array, or an object
 * per line) with a field `id`, or CSV with a column `id`, `order_id`, `Order ID` or `orderId`. It detects the format.
 *
 * @returns each ID once, in the order of the input, and the number of repetitions
 * @throws {CliError} `usage` if anything is not an ID: then nothing may be done
 */
export async function parseIds(
  text: string,
  prefix: IdPrefix,
): Promise<{ ids: string[]; repeated: number }> {
  if (notUtf8.test(text)) {
    throw invalidInput(
      'Input is not UTF-8',
      'Save it as "CSV UTF-8", or in PowerShell with `Out-File -Encoding utf8`.',
    );
  }
  // Spreadsheets begin their files with a byte order mark.
  const found = await findIds(text.replace(/^\ufeff/, ''), prefix);
  const faults = found.filter(({ id }) => typeof id !== 'string' || !isId(id, prefix));
  const [first, ...others] = faults;
  if (first !== undefined) throw invalidId(first, others.length, prefix);
  const ids = Array.from(new Set(found.map(({ id }) => String(id))));
  return { ids, repeated: found.length - ids.length };
}

async function findIds(text: string, prefix: IdPrefix): Promise<Candidate[]> {
  const start = text.trimStart();
  if (start.startsWith('[')) return parseArray(text);
  if (start.startsWith('{')) return parseObjects(text);
  const [head = ''] = start.split(/\r?\n|\r/, 1);
  // Where the comma is the decimal separator, spreadsheets write semicolons.
  const delimiter = [',', ';', '\t'].find((mark) =>
    head.split(mark).some((name) => isIdHeading(name, prefix)),
  );
  if (delimiter !== undefined) return await parseTable(text, delimiter, prefix);
  return text.split(/\r\n|\n|\r/).flatMap((line, index) =>
    line.split(/\s+/).flatMap((word) => {
      // `jq` prints strings with quotes by default.
      const id = word.replace(/^"(.*)"$/, '$1');
      return id === '' ? [] : [{ id, where: `Line ${index + 1}` }];
    }),
  );
}

/** Whether a column has the IDs: `id`, or for orders `order_id`, `Order ID`, `orderId` or `ORDER-ID`. */
function isIdHeading(name: string, prefix: IdPrefix): boolean {
  const plain = name.replace(/[\s"_-]+/g, '').toLowerCase();
  return plain === 'id' || plain === `${nouns[prefix]}id`;
}

function parseArray(text: string): Candidate[] {
  const items = tryParseJson(text);
  if (items instanceof SyntaxError) throw notJson('Input is not a JSON array', items);
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown, index) => ({
    id: typeof item === 'string' ? item : getId(item),
    where: `Item ${index + 1}`,
  }));
}

/** Parses `--output ndjson`, or a single object in any layout. */
function parseObjects(text: string): Candidate[] {
  const whole = tryParseJson(text);
  if (!(whole instanceof SyntaxError)) return [{ id: getId(whole), where: 'The object' }];
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `Line ${index + 1}`;
    const item = tryParseJson(line);
    if (item instanceof SyntaxError) throw notJson(`${where} is not JSON`, item);
    return [{ id: getId(item), where }];
  });
}

/** Parses `--output csv`, or what a spreadsheet made of it. */
async function parseTable(text: string, delimiter: string, prefix: IdPrefix): Promise<Candidate[]> {
  const { parse } = await import('../lazy/csv-parse');
  try {
    // Line ends may be mixed. Those within quotes have no meaning here.
    const lines = text.replace(/\r\n?/g, '\n');
    const rows: { info: { lines: number }; record: Record<string, string> }[] = parse(lines, {
      columns: (names: string[]) => parseHeadings(names, prefix),
      delimiter,
      record_delimiter: '\n',
      info: true,
      // Spreadsheets omit the empty cells at the end of a row, and keep rows that were cleared.
      relax_column_count_less: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    });
    return rows.map(({ info, record }) => ({ id: record.id, where: `Line ${info.lines}` }));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw invalidInput(
      `Input is not valid CSV: ${getErrorMessage(error)}`,
      'Create it with `--output csv`, or save it as CSV again.',
    );
  }
}

/** Returns `id` for the column with the IDs, and null for the others, which are not read. */
function parseHeadings(names: string[], prefix: IdPrefix): ('id' | null)[] {
  const found = names.filter((name) => isIdHeading(name, prefix));
  if (found.length > 1) {
    const columns = found.map((name) => `'${truncate(name)}'`).join(' and ');
    throw invalidInput(
      `The IDs may be in the columns ${columns}`,
      'Keep one of them, or rename the other.',
    );
  }
  return names.map((name) => (found.includes(name) ? 'id' : null));
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function getId(item: unknown): unknown {
  return isRecord(item) ? item.id : undefined;
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
    `IDs begin with ${prefix}_. CSV needs a heading with a column named id or ${noun}_id.`,
  );
}
