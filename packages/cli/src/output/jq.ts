import { CliError } from '../cli-error';
import type { InstantFormat } from './format';
import { harmless, harmlessJson } from './harmless';

/** Applies an expression to JSON values, one after the other. Returns a line of JSON for each result. */
type Filter = (values: readonly unknown[]) => string[];

/** What jq ends with when the expression is none. */
const compileError = 3;

async function compiled(expression: string): Promise<Filter> {
  const { loadJq } = await import('../apart/jq');
  const jq = await loadJq();

  /** @throws {Error} of jq's own words */
  function run(input: string): { lines: string[]; exitCode: number; reason: string | null } {
    const { stdout, stderr, exitCode } = jq.raw(input, expression, ['--compact-output']);
    // An error at one of several values is told and passed over: of the others there is an answer.
    const failed = exitCode !== 0 || /^jq: (parse )?error/m.test(stderr);
    const lines = stdout === '' ? [] : stdout.split('\n');
    return { lines, exitCode, reason: failed ? reasonOf(stderr) : null };
  }

  const { exitCode, reason } = run('');
  if (exitCode === compileError) {
    throw new CliError(
      'usage',
      `--jq ${JSON.stringify(expression)} is no expression: ${reason}`,
      "An example: --jq '.[] | select(.quantity > 10) | .id'.",
    );
  }
  return (values) => {
    const { lines, reason } = run(values.map(jsonOf).join('\n'));
    if (reason === null) return lines;
    throw new CliError(
      'output_failed',
      `--jq ${JSON.stringify(expression)} does not fit what is printed: ${reason}`,
      'Leave --jq out and set --output json to see what it works on.',
    );
  };
}

/** The first line of what jq says, without what stands around it. */
function reasonOf(stderr: string): string {
  const [first = ''] = stderr.split('\n');
  return first
    .replace(/^jq: (parse )?error( \(at [^)]*\))?: /, '')
    .replace(/ at <top-level>, line \d+, column \d+:$/, '');
}

/** One half of a surrogate pair without the other. */
const halfPair = /\p{Cs}/gu;

/** A value as JSON that jq takes: it refuses half a surrogate pair. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'string' ? item.replace(halfPair, '\ufffd') : item,
  );
}

/**
 * Strings as they are, so that a script needs no quotes taken off; all else as JSON, on one line. On a
 * terminal control characters in strings are escaped; a program gets each as it is.
 */
function textOf(line: string, isShown: boolean): string {
  if (!line.startsWith('"')) return `${harmlessJson(line)}\n`;
  const text = String(JSON.parse(line));
  // A tab does no harm, and `@tsv` is made of them.
  return `${isShown ? text.split('\t').map(harmless).join('\t') : text}\n`;
}

/**
 * What a jq expression makes of the JSON, a line for each result. Of `json` it gets the whole list as
 * one array, of `ndjson` each item by itself, as it comes.
 *
 * @param isShown whether a terminal shows it
 * @throws {CliError} `usage` for what is no expression, and while it formats `output_failed` for one
 * that does not fit the data.
 */
export async function jqFormat<Item>(
  expression: string,
  output: 'json' | 'ndjson',
  isShown: boolean,
): Promise<InstantFormat<Item>> {
  const filter = await compiled(expression);
  const all: Item[] = [];
  const apply = (values: readonly unknown[]) =>
    filter(values)
      .map((line) => textOf(line, isShown))
      .join('');
  return {
    part(items) {
      if (output === 'ndjson') return items.length > 0 ? apply(items) : '';
      // Not spread into one call: that has a limit, which a long page could reach.
      for (const item of items) all.push(item);
      return '';
    },
    end: () => (output === 'json' ? apply([all]) : ''),
    one: (item) => apply([item]),
  };
}
