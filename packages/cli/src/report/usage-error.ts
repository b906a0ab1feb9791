import type { Command, CommanderError, Option } from 'commander';
import { CliError, capitalize, type Hint, truncate } from '../errors/cli-error';
import { type IdPrefix, idPrefixes, isId } from '../input/options';
import { commandSynonyms, optionSynonyms } from '../synonyms';

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
    return new CliError(
      'usage',
      `Missing command after \`${['tradepost', ...path].join(' ')}\`. Use one of: ${names}`,
    );
  }
  let [text = '', similar] = error.message.split(/\n\(Did you mean (.*)\?\)$/s);
  if (error.code === 'commander.missingMandatoryOptionValue') {
    // Commander checks this first, although the missing option may be there, and mistyped.
    const mistyped = command.args.find((argument) => /^--?\w/.test(argument))?.replace(/=.*$/s, '');
    if (mistyped !== undefined)
      text = `unknown option '${mistyped}', and ${text.replace(/^error: /, '')}`;
  }
  text = text
    .replace(/^error: (command-argument value )?/, '')
    // What follows the `=` of an unknown option may be a key.
    .replace(/^(unknown option '[^=']*)=.*$/s, "$1'");
  if (error.code === 'commander.missingArgument') text = describeMissing(command) ?? text;
  const message = capitalize(shortenValue(text));
  if (/^unknown option '--(api-?)?(key|token)'/.test(text)) {
    const hint = 'Set TRADEPOST_API_KEY instead: other programs can see the command line.';
    return new CliError('usage', message, hint);
  }
  const meant = findMeant(error.code, text, command);
  if (meant !== null)
    return new CliError('usage', message, `Did you mean ${meant.shown}?`, meant.help);
  const help = helpHint(path);
  if (similar === undefined) return new CliError('usage', message, help);
  return new CliError('usage', message, `Did you mean ${similar}?`, help);
}

/** Shortens the value in the message about an invalid one: what is wrong with a long one is behind it. */
function shortenValue(text: string): string {
  return text.replace(
    /^(option '.*?' argument ')(.*)(' is invalid)/s,
    (_, before: string, value: string, after: string) => before + truncate(value) + after,
  );
}

/** Says which ID is missing: `id` is the name of every argument for one. */
function describeMissing({ registeredArguments }: Command): string | null {
  const [, noun] = /^(\w+ ID), /.exec(registeredArguments[0]?.description ?? '') ?? [];
  return noun === undefined ? null : `missing ${noun}`;
}

function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : [];
}

function helpHint(path: readonly string[]): Hint {
  return { text: 'See', command: [...path, '--help'].join(' '), local: true };
}

/** What was probably meant: as it is shown, and where its help is. */
interface Meant {
  shown: string;
  help: Hint;
}

function findMeant(code: string, text: string, command: Command): Meant | null {
  if (code === 'commander.unknownCommand' || code === 'commander.excessArguments') {
    return findCommand(command);
  }
  const [, unknown] = /^unknown option '(.*?)'/s.exec(text) ?? [];
  if (unknown !== undefined) return findOption(unknown, findValue(command, unknown), command);
  const [, option, value] =
    /^option '(?:-\w, )?(--[\w-]+) .*?' argument '(.*)' is invalid/s.exec(text) ?? [];
  return option === undefined ? null : findOption(option, value, command, true);
}

function findCommand(command: Command): Meant | null {
  const root = findRoot(command);
  const words = command.args.filter((word) => !word.startsWith('-'));
  const meant = resolve([...commandPath(command), ...words], root);
  return meant === null ? null : showCommand(meant, command);
}

/** Returns the command line that typed words mean; null if no row fits. */
function resolve(words: readonly string[], root: Command): string | null {
  for (const [typed, meant] of commandSynonyms) {
    for (const group of typed.includes('*') ? listGroups(root) : ['']) {
      const pattern = typed.replace('*', group).split(' ');
      const target = meant.replace('*', group);
      if (!fits(pattern, words) || !exists(target, root)) continue;
      const rest = words.slice(pattern.length);
      if (rest.length === 0 || target.includes(' ') || !listGroups(root).includes(target)) {
        return target;
      }
      const renamed = [target, ...rest];
      const whole = renamed.slice(0, 2).join(' ');
      return exists(whole, root) ? whole : (resolve(renamed, root) ?? target);
    }
  }
  return null;
}

function fits(pattern: readonly string[], words: readonly string[]): boolean {
  return pattern.every((part, index) => part.split('|').includes(words[index] ?? ''));
}

/** Whether a command line begins with a command or a group, or is an option of the program. */
function exists(line: string, root: Command): boolean {
  const [name, child] = line.split(' ');
  if (name?.startsWith('-')) return true;
  const found = root.commands.find((command) => command.name() === name);
  if (found === undefined || found.commands.length === 0 || child === undefined) {
    return found !== undefined;
  }
  return found.commands.some((command) => command.name() === child);
}

function listGroups(root: Command): string[] {
  return root.commands.filter(({ commands }) => commands.length > 0).map((group) => group.name());
}

function findRoot(command: Command): Command {
  return command.parent ? findRoot(command.parent) : command;
}

function showCommand(line: string, { args }: Command): Meant {
  // Only IDs: anything else that was typed may be a secret.
  const ids = args.filter((word) => idPrefixes.some((prefix: IdPrefix) => isId(word, prefix)));
  const path = line.split(' ').filter((word) => /^[a-z][a-z-]*$/.test(word));
  return {
    shown: `\`tradepost ${line.replace('ID', ids.join(' ') || 'ID')}\``,
    help: helpHint(path.slice(0, 2)),
  };
}

/** Returns the value that follows an unknown option. */
function findValue({ args }: Command, flag: string): string | undefined {
  const index = args.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = args[index];
  return word === flag ? args[index + 1] : word?.slice(flag.length + 1);
}

/** @param withValue whether only rows with a value count, since the option itself exists */
function findOption(
  flag: string,
  value: string | undefined,
  command: Command,
  withValue = false,
): Meant | null {
  for (const [typed, meant] of optionSynonyms) {
    const pattern = typed.split(' ');
    if (withValue && pattern.length < 2) continue;
    if (!fits(pattern, [flag, value ?? ''])) continue;
    if (!meant.startsWith('-')) {
      const [group] = commandPath(command);
      if (meant.split(' ')[0] === group) return showCommand(meant, command);
      continue;
    }
    const option = findKnownOption(command, meant.split(' ')[0] ?? '');
    if (option === undefined) continue;
    const isChoice = value !== undefined && option.argChoices?.includes(value);
    const shown = isChoice && !meant.includes(' ') ? `${meant} ${value}` : meant;
    return { shown, help: helpHint(commandPath(command)) };
  }
  return null;
}

function findKnownOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long }) => long === flag);
  if (own !== undefined || command.parent === null || flag === '--version') return own;
  return findKnownOption(command.parent, flag);
}
