import { CliError } from '../errors/cli-error';
import { escapeControlChars, escapeControlCharsInJson } from './text';

/** Applies an expression to JSON values, one after the other. Returns a line of JSON per result. */
type Filter = (values: readonly unknown[]) => string[];

const compileError = 3;

async function compile(expression: string): Promise<Filter> {
  const { loadJq } = await import('../lazy/jq');
  const jq = await loadJq();

  function run(input: string): { lines: string[]; exitCode: number; reason: string | null } {
    const { stdout, stderr, exitCode } = jq.raw(input, expression, ['--compact-output']);
    // jq reports an error at one of several values and continues with the next.
    const failed = exitCode !== 0 || /^jq: (parse )?error/m.test(stderr);
    const lines = stdout === '' ? [] : stdout.split('\n');
    return { lines, exitCode, reason: failed ? parseReason(stderr) : null };
  }

  const { exitCode, reason } = run('');
  if (exitCode === compileError) {
    throw new CliError(
      'usage',
      `--jq ${JSON.stringify(expression)} is not a valid expression: ${reason}`,
      "Example: --jq '.[] | select(.quantity > 10) | .id'.",
    );
  }
  return (values) => {
    const { lines, reason } = run(values.map(toJqInput).join('\n'));
    if (reason === null) return lines;
    throw new CliError(
      'output_failed',
      `--jq ${JSON.stringify(expression)} does not fit the data: ${reason}`,
      'To see its input, omit --jq and set --output json.',
    );
  };
}

/** Returns the first line of jq's message without its prefix and position. */
function parseReason(stderr: string): string {
  const [first = ''] = stderr.split('\n');
  return first
    .replace(/^jq: (parse )?error( \(at [^)]*\))?: /, '')
    .replace(/ at <top-level>, line \d+, column \d+:$/, '');
}

/** A surrogate without its other half. jq rejects it. */
const loneSurrogate = /\p{Cs}/gu;

function toJqInput(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'string' ? item.replace(loneSurrogate, '\ufffd') : item,
  );
}

function formatResult(line: string, isTerminal: boolean): string {
  if (!line.startsWith('"')) return `${escapeControlCharsInJson(line)}\n`;
  const text = String(JSON.parse(line));
  // Tabs are harmless, and `@tsv` consists of them.
  return `${isTerminal ? text.split('\t').map(escapeControlChars).join('\t') : text}\n`;
}

/**
 * Creates the format that applies a jq expression to the JSON, with a line for each result. With `json`
 * it gets the whole list as one array, with `ndjson` each item by itself.
 *
 * @param isTerminal whether to escape control characters in strings
 * @throws {CliError} `usage` for an invalid expression; while formatting, `output_failed` for one that
 * does not fit the data
 */
export async function createJqFormat<Item>(
  expression: string,
  output: 'json' | 'ndjson',
  isTerminal: boolean,
) {
  const filter = await compile(expression);
  const all: Item[] = [];
  const apply = (values: readonly unknown[]) =>
    filter(values)
      .map((line) => formatResult(line, isTerminal))
      .join('');
  return {
    formatItems(items: readonly Item[]): string {
      if (output === 'ndjson') return items.length > 0 ? apply(items) : '';
      // Not one `push(...items)`: a call has a limit of arguments.
      for (const item of items) all.push(item);
      return '';
    },
    end: () => (output === 'json' ? apply([all]) : ''),
    formatItem: (item: Item) => apply([item]),
  };
}
