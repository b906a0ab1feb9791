import { CliError } from '../cli-error';
import { messageOf } from '../message-of';
import { type IdPrefix, isId } from './id-argument';

/** What stands where an id is looked for, and where that is: `line 3`, `item 3`. */
interface Found {
  id: unknown;
  where: string;
}

/** How UTF-16 begins, with its mark and without, and a spreadsheet that is not saved as text. */
const notUtf8 = /^(\ufffd\ufffd|.?\0|PK\p{Cc}{2})/su;

/** What Excel writes, and reads, before the heading. */
const delimiterLine = /^"?sep=[,;\t]"?(?=\r?\n|\r)/i;

/** So many faults are told at once; the others are counted. */
const shownFaults = 5;
/** A fault is told with so many characters of what stands there: a line may have a whole file. */
const shownCharacters = 60;

/**
 * Reads ids out of what another command or a spreadsheet made: ids one by one, JSON (an array, or an
 * object a line) with a field `id`, or CSV with a column `id`. Which of them it is, it sees itself.
 *
 * @returns each id once, in the order in which they came, and how many came again
 * @throws {CliError} `usage` when something is none: then nothing is to be done.
 */
export async function parseIds(
  text: string,
  prefix: IdPrefix,
): Promise<{ ids: string[]; repeated: number }> {
  if (notUtf8.test(text)) {
    throw new CliError(
      'usage',
      'stdin is no text in UTF-8',
      'Nothing was changed. Save it as "CSV UTF-8", or in PowerShell with `Out-File -Encoding utf8`.',
    );
  }
  // Spreadsheets begin their files with a byte order mark, and some with a line that names the delimiter.
  const found = await findIds(text.replace(/^\ufeff/, '').replace(delimiterLine, ''));
  const faults = found.filter(({ id }) => typeof id !== 'string' || !isId(id, prefix));
  if (faults.length > 0) throw notIds(faults, prefix);
  const ids = Array.from(new Set(found.map(({ id }) => String(id))));
  return { ids, repeated: found.length - ids.length };
}

async function findIds(text: string): Promise<Found[]> {
  const start = text.trimStart();
  if (start.startsWith('[')) return idsOfArray(text);
  if (start.startsWith('{')) return idsOfObjects(text);
  const [head = ''] = start.split(/\r?\n|\r/, 1);
  // Where the comma is for decimals, spreadsheets write semicolons.
  const delimiter = [',', ';', '\t'].find((mark) => head.split(mark).some(isIdHeading));
  if (delimiter !== undefined) return await idsOfTable(text, delimiter);
  return text.split(/\r\n|\n|\r/).flatMap((line, index) =>
    line.split(/\s+/).flatMap((word) => {
      // As `jq` prints texts unless it is told to print them raw.
      const id = word.replace(/^"(.*)"$/, '$1');
      return id === '' ? [] : [{ id, where: `line ${index + 1}` }];
    }),
  );
}

function isIdHeading(name: string): boolean {
  return /^\s*"?\s*id\s*"?\s*$/i.test(name);
}

/** The ids of `--output json`: of its objects, or a plain array of ids. */
function idsOfArray(text: string): Found[] {
  const items = parsed(text);
  if (items instanceof SyntaxError) throw notJson('stdin begins like a JSON array', items);
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown, index) => ({
    id: typeof item === 'string' ? item : fieldOf(item),
    where: `item ${index + 1}`,
  }));
}

/** The ids of `--output ndjson`, or of a single object, however it is laid out. */
function idsOfObjects(text: string): Found[] {
  const whole = parsed(text);
  if (!(whole instanceof SyntaxError)) return [{ id: fieldOf(whole), where: 'the object' }];
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `line ${index + 1}`;
    const item = parsed(line);
    if (item instanceof SyntaxError) throw notJson(`${where} is no JSON`, item);
    return [{ id: fieldOf(item), where }];
  });
}

/** The ids of `--output csv`, or of what a spreadsheet made of it. */
async function idsOfTable(text: string, delimiter: string): Promise<Found[]> {
  const { parse } = await import('../apart/csv-parse');
  try {
    // Line ends of several systems may be mixed, and inside of quotes they are no matter here.
    const lines = text.replace(/\r\n?/g, '\n');
    const rows: { info: { lines: number }; raw: string; record: Record<string, string> }[] = parse(
      lines,
      {
        columns: headings,
        delimiter,
        record_delimiter: '\n',
        info: true,
        raw: true,
        // Spreadsheets leave out the empty cells that end a row, and keep rows that were emptied.
        relax_column_count_less: true,
        skip_empty_lines: true,
        skip_records_with_empty_values: true,
        trim: true,
      },
    );
    return rows.map(({ info, raw, record }) => ({
      id: record.id,
      where: `line ${info.lines - (raw.trim().match(/\n/g)?.length ?? 0)}`,
    }));
  } catch (error) {
    const reason = messageOf(error);
    throw new CliError(
      'usage',
      `stdin is no CSV as its heading says: ${reason}`,
      'Nothing was changed. Make it with `--output csv`, or save it as CSV once more.',
    );
  }
}

function headings(names: string[]): string[] {
  if (names.filter(isIdHeading).length > 1) throw new Error('several of its columns are named id');
  return names.map((name) => name.trim().toLowerCase());
}

/** What JSON says, or why it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function notJson(what: string, { message }: SyntaxError): CliError {
  return new CliError(
    'usage',
    `${what}: ${message}`,
    'Nothing was changed. JSON is one array, or an object a line: `jq -c` makes such lines.',
  );
}

function fieldOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
}

function notIds(faults: Found[], prefix: IdPrefix): CliError {
  const shown = faults.slice(0, shownFaults).map(({ id, where }) => {
    const text = id === undefined ? 'no id' : JSON.stringify(id);
    const cut = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
    return `${where}: ${cut}`;
  });
  const more = faults.length > shownFaults ? `, and ${faults.length - shownFaults} more` : '';
  return new CliError(
    'usage',
    `stdin has what is no id: ${shown.join(', ')}${more}`,
    `Nothing was changed. An id here begins with ${prefix}_. CSV needs a heading with a column named id.`,
  );
}
