import type { Command, CommanderError } from 'commander';
import { CliError, capitalize, commandHint, type Hint, truncate } from '../errors/cli-error';
import { commandPath, findCommandAlias, findKnownOption, findOptionAlias } from './aliases';

/** Whether Commander threw an error. Its class is not in the bundle of the commands. */
export function isParserError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

/**
 * Turns an error of the parser into one of the CLI, with what was probably meant.
 *
 * @param command the command that was parsed
 */
export function toUsageError(error: CommanderError, command: Command): CliError {
  const path = commandPath(command);
  if (error.code === 'commander.help') {
    const children = command.createHelp().visibleCommands(command);
    const names = children.map((child) => child.name()).join(', ');
    // The program alone shows a person the summary: with an option for its format that is meant too.
    const isFormatted = path.length === 0 && command.getOptionValueSource('output') !== 'default';
    const { output } = command.opts<{ output: string }>();
    const summary = commandHint('For the account at a glance, run', 'summary', '--output', output);
    return new CliError(
      'usage',
      `Missing command after \`${['tradepost', ...path].join(' ')}\`. Use one of: ${names}`,
      ...(isFormatted ? [summary] : []),
    );
  }
  let [text = '', similar] = error.message.split(/\n\(Did you mean (.*)\?\)$/s);
  const [, flag = ''] = /^error: unknown option '(--[\w-]+)=/.exec(text) ?? [];
  if (findKnownOption(command, flag)) {
    return new CliError('usage', `Option '${flag}' takes no value`, helpHint(path));
  }
  if (error.code === 'commander.missingMandatoryOptionValue') {
    // Commander checks this first, although the missing option may be there, and mistyped.
    const mistyped = command.args.find((argument) => /^--?\w/.test(argument))?.replace(/=.*$/s, '');
    if (mistyped !== undefined)
      text = `unknown option '${mistyped}', and ${text.replace(/^error: /, '')}`;
  }
  text = text
    .replace(/^error: (command-argument value )?/, '')
    // What follows the `=` of an unknown option, or the name of a header, may be a key.
    .replace(/^(unknown option '[^=:']*)[=:].*$/s, "$1'");
  if (error.code === 'commander.missingArgument') text = describeMissing(command) ?? text;
  const message = capitalize(shortenValue(text));
  if (/^unknown option '--(api-?)?(key|token)'/.test(text)) {
    const hint = 'Set TRADEPOST_API_KEY instead: other programs can see the command line.';
    return new CliError('usage', message, hint);
  }
  const help = helpHint(path);
  const meant = findAlias(error.code, text, command) ?? similar;
  if (meant === undefined) return new CliError('usage', message, help);
  return new CliError('usage', message, `Did you mean ${meant}?`, help);
}

function findAlias(code: string, text: string, command: Command): string | undefined {
  if (code === 'commander.unknownCommand') return findCommandAlias(command) ?? undefined;
  const [, flag = ''] = /^unknown option '(.*?)'/.exec(text) ?? [];
  return findOptionAlias(flag, command) ?? undefined;
}

function helpHint(path: readonly string[]): Hint {
  return { text: 'See', command: [...path, '--help'].join(' '), local: true };
}

/** Shortens the value in the message about an invalid one: what is wrong with a long one is behind it. */
function shortenValue(text: string): string {
  return text.replace(
    /^(option '.*?' argument '|')(.*)(' is invalid)/s,
    (_, before: string, value: string, after: string) => before + truncate(value) + after,
  );
}

/** Says which ID is missing, since `id` is the name of every argument for one. */
function describeMissing({ registeredArguments: [argument] }: Command): string | null {
  const [, noun] = /^([\w ]+ ID), /.exec(argument?.description ?? '') ?? [];
  return noun === undefined ? null : `missing ${noun}`;
}
