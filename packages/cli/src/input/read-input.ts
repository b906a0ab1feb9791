import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { CliContext } from '../context';
import { attempt, CliError, getErrorMessage } from '../errors/cli-error';
import { decodeText } from '../files/decode-text';
import { printNotice } from '../output/print';
import { formatCount } from '../output/text';
import { type IdPrefix, nouns } from './options';
import { type InputRow, parseIds } from './parse-ids';

/**
 * Reads a file or stdin to its end.
 *
 * @param what the name of the input, in the plural
 * @param file undefined for stdin
 * @throws {CliError} `usage` if stdin is a terminal, `interrupted`, `input_unreadable`
 */
export async function readInput(context: CliContext, what: string, file?: string): Promise<Buffer> {
  if (file !== undefined) {
    return attempt(() => readFileSync(file), 'input_unreadable', `Cannot read ${what}`);
  }
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

/** The options of commands that take many IDs. */
export interface InputOptions {
  stdin?: true;
  file?: string;
  idColumn?: string;
}

/** Adds the options of commands that take many IDs. */
export function addInputOptions(command: Command, prefix: IdPrefix): Command {
  return command
    .option('--stdin', 'read IDs from stdin: plain, CSV, JSON or NDJSON')
    .addOption(
      command
        .createOption('--file <file>', 'read IDs from a file, such as a spreadsheet saved as CSV')
        .conflicts('stdin'),
    )
    .option('--id-column <name>', `the column or JSON field that has ${nouns[prefix]} IDs`);
}

/** What help pages say about many IDs. */
export const inputNote =
  'CSV may have any separator and any headings: the column whose cells are IDs is found. If several have IDs, --id-column names one. JSON has the IDs in the field id.';

/**
 * Reads the IDs that the options name, each once, and says on stderr what they were.
 *
 * @param ids IDs among the arguments: they exclude the options
 * @param valueColumn the column or JSON field that is read beside the IDs
 * @returns null if the options name no input
 * @throws {CliError} `usage`, `input_unreadable`, `interrupted`
 */
export async function readRows(
  ids: readonly string[],
  { stdin, file, idColumn }: InputOptions,
  prefix: IdPrefix,
  context: CliContext,
  valueColumn?: string,
): Promise<InputRow[] | null> {
  if (!stdin && file === undefined) {
    if (idColumn === undefined && valueColumn === undefined) return null;
    throw new CliError('usage', 'Columns are those of --file FILE or --stdin');
  }
  if (ids.length > 0) {
    throw new CliError(
      'usage',
      `Pass IDs as arguments or ${stdin ? 'on stdin' : 'in a file'}, not both`,
    );
  }
  // Spreadsheets that are not saved as Unicode have only ASCII in what is read.
  const text = decodeText(await readInput(context, 'IDs', file), file ?? 'Stdin', 'windows-1252');
  const { rows, repeated, column } = await parseIds(text, prefix, { idColumn, valueColumn });
  if (column !== null) {
    const count = formatCount(rows.length, `${nouns[prefix]} ID`);
    printNotice(context, `Read ${count} from the column '${column}'.`);
  }
  if (repeated > 0) printNotice(context, `Ignored ${formatCount(repeated, 'repeated ID')}.`);
  if (rows.length === 0) printNotice(context, `No IDs ${stdin ? 'on stdin' : `in ${file}`}.`);
  return rows;
}
