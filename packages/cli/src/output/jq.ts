import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';
import { CliError } from '../errors/cli-error';
import { escapeControlChars, escapeControlCharsInJson } from './text';

type Filter = (values: readonly unknown[]) => Promise<string[]>;

interface JqResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

const compileError = 3;

/** Defined before the expression: jq itself rejects fractions of a second, which the times of the API have. */
const definitions = `def fromdateiso8601: . as $time | (capture("(?<fraction>[.][0-9]+)Z$").fraction // "") as $fraction
| ($time | sub("[.][0-9]+Z$"; "Z") | strptime("%Y-%m-%dT%H:%M:%SZ") | mktime) + ("0" + $fraction | tonumber);
def fromdate: fromdateiso8601;
`;

/** Loads jq. What it returns blocks the event loop, for at most the timeout, in milliseconds. */
async function load(expression: string): Promise<(input: string, timeout?: number) => JqResult> {
  const jq = await (await import('../lazy/jq')).loadJq();
  const run = (input: string) => jq.raw(input, definitions + expression, ['--compact-output']);
  const sandbox = createContext({ run, input: '' });
  return (input, timeout) => {
    sandbox.input = input;
    try {
      return runInContext('run(input)', sandbox, { timeout });
    } catch (error) {
      // Not `instanceof`: it is of the sandbox.
      const { code } = error as { code?: unknown };
      if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new CliError(
        'output_failed',
        `--jq ${JSON.stringify(expression)} needs more memory than jq has here`,
        'Set --output ndjson, which filters one item at a time, or pipe the JSON to jq.',
      );
    }
  };
}

/** Signals wait for an expression that takes this long, in milliseconds; one that takes longer is ended by them. */
const usualMs = 1_000;

async function compile(expression: string, signal: AbortSignal): Promise<Filter> {
  let run = await load(expression);

  async function runToEnd(input: string): Promise<JqResult> {
    try {
      return run(input, usualMs);
    } catch (error) {
      if (error instanceof CliError) throw error;
    }
    // What was stopped cannot go on.
    run = await load(expression);
    // A signal that came meanwhile reaches its listener. The first turn may have begun before it came.
    for (let turn = 0; turn < 2; turn += 1) await setImmediate();
    if (signal.aborted) throw new CliError('interrupted', 'Interrupted');
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    return run(input);
  }

  async function apply(
    input: string,
  ): Promise<{ lines: string[]; exitCode: number; reason: string | null }> {
    const { stdout, stderr, exitCode } = await runToEnd(input);
    // jq reports an error at one of several values and continues with the next.
    const failed = exitCode !== 0 || /^jq: (parse )?error/m.test(stderr);
    const lines = stdout === '' ? [] : stdout.split('\n');
    return { lines, exitCode, reason: failed ? parseReason(stderr) : null };
  }

  const { exitCode, reason } = await apply('');
  if (exitCode === compileError) {
    throw new CliError(
      'usage',
      `--jq ${JSON.stringify(expression)} is not a valid expression: ${reason}`,
      "Example: --jq '.[] | select(.quantity > 10) | .id'.",
    );
  }
  return async (values) => {
    const { lines, reason } = await apply(values.map(toJqInput).join('\n'));
    if (reason === null) return lines;
    throw new CliError(
      'output_failed',
      `--jq ${JSON.stringify(expression)} does not fit the data: ${reason}`,
      'To see its input, omit --jq and set --output json.',
    );
  };
}

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
  return `${isTerminal ? escapeControlChars(text, '\t') : text}\n`;
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
  signal: AbortSignal,
) {
  const filter = await compile(expression, signal);
  const all: Item[] = [];
  const apply = async (values: readonly unknown[]) =>
    (await filter(values)).map((line) => formatResult(line, isTerminal)).join('');
  return {
    formatItems(items: readonly Item[]): string | Promise<string> {
      if (output === 'ndjson') return items.length > 0 ? apply(items) : '';
      // Not one `push(...items)`: a call has a limit of arguments.
      for (const item of items) all.push(item);
      return '';
    },
    end: () => (output === 'json' ? apply([all]) : ''),
    formatItem: (item: Item) => apply([item]),
  };
}
