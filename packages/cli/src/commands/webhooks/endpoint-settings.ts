import type { WebhookUpdateParams } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { decodeText } from '../../files/decode-text';
import { parseCount } from '../../input/options';
import { readInput } from '../../input/read-input';

/** The options of what an account may set of a webhook beyond the API specification. */
export interface SettingsOptions {
  description?: string;
  headersFile?: string;
  attemptsPerMinute?: number | 'none';
}

export function addSettingsOptions(command: Command): Command {
  return command
    .option('--description <text>', "what it is for; '' for nothing")
    .option(
      '--headers-file <file>',
      'headers of each delivery, a Name: value on each line; - for stdin',
    )
    .option(
      '--attempts-per-minute <n>',
      'the most attempts that it gets in a minute; none for no limit',
      parseLimit,
    );
}

export const settingsNotes = [
  'Headers are not in the arguments, because other users of the machine can see these. No command shows their values.',
  'The description, headers and the limit of attempts need the extension webhooks.settings.',
];

/** Not null for none: the parser of the command line takes a null for an option without a value. */
function parseLimit(text: string): number | 'none' {
  return text === 'none' ? text : parseCount(text);
}

/**
 * Returns what the options set.
 *
 * @throws {CliError} `usage`, `input_unreadable`, `interrupted`
 */
export async function readSettings(
  { description, headersFile, attemptsPerMinute }: SettingsOptions,
  context: CliContext,
): Promise<Pick<WebhookUpdateParams, 'description' | 'headers' | 'attemptsPerMinute'>> {
  return {
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(headersFile !== undefined && { headers: await readHeaders(headersFile, context) }),
    ...(attemptsPerMinute !== undefined && {
      attemptsPerMinute: attemptsPerMinute === 'none' ? null : attemptsPerMinute,
    }),
  };
}

async function readHeaders(file: string, context: CliContext): Promise<Record<string, string>> {
  const from = file === '-' ? undefined : file;
  const bytes = await readInput(context, 'headers', from);
  const lines = decodeText(bytes, from ?? 'Stdin', 'windows-1252').split(/\r?\n/);
  const headers = lines.flatMap((line, index): [string, string][] => {
    if (line.trim() === '') return [];
    const [, name, value] = /^([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    // The line may have a key: it is not shown.
    if (name !== undefined && value !== undefined) return [[name, value]];
    throw new CliError(
      'usage',
      `Line ${index + 1} of ${from ?? 'stdin'} is not a header, Name: value`,
    );
  });
  const names = headers.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return Object.fromEntries(headers);
  throw new CliError('usage', `${from ?? 'stdin'} has the header ${repeated} twice`);
}
