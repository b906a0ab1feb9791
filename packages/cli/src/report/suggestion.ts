import { orderStatuses } from '@tradepost/sdk';
import type { Argument, Command, Option } from 'commander';
import type { Hint } from '../errors/cli-error';
import { getFields, getValues, idPrefixes, isId } from '../input/options';
import { commandSynonyms, optionSynonyms } from '../synonyms';
import { quoteWord } from './hint';

/** What was probably meant: as it is shown, and where its help is. */
interface Suggestion {
  shown: string;
  help: Hint;
}

/** A command line that was rejected. */
interface Rejected {
  /** The code of the parser's error. */
  code: string;
  /** Its message, without `error: `. */
  text: string;
  /** The command that was parsed. */
  command: Command;
}

/** Returns what was probably meant by a command line; null if nothing is known that is similar. */
export function findSuggestion({ code, text, command }: Rejected): Suggestion | null {
  const { flag, value } = readUnknownOption(text, command);
  const request = findRequest(flag, value, command);
  if (request !== null) return request;
  if (flag !== undefined) {
    if (flag === '--json') return findFields([value ?? ''], command);
    return findParameters(flag, command) ?? findOption(flag, value, command);
  }
  const [, option, typed] =
    /^option '(?:-\w, )?(--[\w-]+) .*?' argument '(.*)' is invalid/s.exec(text) ?? [];
  if (option !== undefined) {
    return findChoice(option, typed, command) ?? findOption(option, typed, command, true);
  }
  const isCommandUnknown = code === 'commander.unknownCommand';
  const fields = isCommandUnknown ? null : findJsonFields(command);
  if (fields !== null) return fields;
  if (isCommandUnknown || code === 'commander.excessArguments') return findCommand(command);
  const [, word, argument] = /^'(.*)' is invalid for argument '(.*?)'/s.exec(text) ?? [];
  return argument === undefined ? null : findArgument(argument, word, command);
}

/** Returns the path of a command, without the program. */
export function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : [];
}

export function helpHint(path: readonly string[]): Hint {
  return { text: 'See', command: [...path, '--help'].join(' '), local: true };
}

/**
 * Reads the unknown option of a message with the value that follows it. curl allows a value in the same
 * word: `-XPOST`.
 */
function readUnknownOption(
  text: string,
  command: Command,
): { flag?: string; value?: string | undefined } {
  const [, word] = /^unknown option '(.*?)'/s.exec(text) ?? [];
  if (word === undefined) return {};
  const [, flag, value] = /^(-[XHdF])(.+)$/s.exec(word) ?? [];
  return flag === undefined ? { flag: word, value: findValue(command, word) } : { flag, value };
}

function findCommand(command: Command): Suggestion | null {
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

function showCommand(line: string, { args }: Command): Suggestion {
  // Only IDs: anything else that was typed may be a secret.
  const ids = args.filter(isAnyId);
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
): Suggestion | null {
  for (const [typed, meant] of optionSynonyms) {
    const pattern = typed.split(' ');
    if (withValue && pattern.length < 2) continue;
    if (!fits(pattern, [flag, value?.toLowerCase() ?? ''])) continue;
    if (!meant.startsWith('-')) {
      const [group] = commandPath(command);
      if (meant.split(' ')[0] === group) return showCommand(meant, command);
      continue;
    }
    const names = meant.split(' or ').map((option) => option.split(' ')[0] ?? '');
    const [option, ...others] = names.map((name) => findKnownOption(command, name));
    if (option === undefined || others.includes(undefined)) continue;
    const isChoice = value !== undefined && option.argChoices?.includes(value);
    const shown = isChoice && !meant.includes(' ') ? `${meant} ${value}` : meant;
    return { shown, help: helpHint(commandPath(command)) };
  }
  return null;
}

export function findKnownOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long }) => long === flag);
  if (own !== undefined || command.parent === null || flag === '--version') return own;
  return findKnownOption(command.parent, flag);
}

function isAnyId(word: string): boolean {
  return idPrefixes.some((prefix) => isId(word, prefix));
}

/** Suggests the choices of an option that differ from what was typed by case only. */
function findChoice(flag: string, typed = '', command: Command): Suggestion | null {
  const option = findKnownOption(command, flag);
  const choices = option && matchCase(typed, listChoices(option));
  return choices ? { shown: `${flag} ${choices}`, help: helpHint(commandPath(command)) } : null;
}

function findArgument(name: string, typed = '', command: Command): Suggestion | null {
  const argument = command.registeredArguments.find((one) => one.name() === name);
  const choice = argument && matchCase(typed, listChoices(argument));
  return choice ? { shown: choice, help: helpHint(commandPath(command)) } : null;
}

function listChoices({ argChoices, parseArg }: Option | Argument): readonly string[] {
  return argChoices ?? getValues(parseArg)?.values() ?? [];
}

/** Returns choices, separated by commas, as they are written; null if one differs by more than case. */
function matchCase(typed: string, choices: readonly string[]): string | null {
  const found = typed.split(',').map((part) => {
    const wanted = part.trim().toLowerCase();
    return choices.find((choice) => choice.toLowerCase() === wanted);
  });
  return found.includes(undefined) ? null : found.join(',');
}

/** Suggests `--fields` for the names of fields after `--json`, as gh takes them, which are an argument here. */
function findJsonFields(command: Command): Suggestion | null {
  const root = findRoot(command);
  const isJson = root.getOptionValueSource('output') === 'cli' && root.opts().output === 'json';
  return isJson ? findFields(command.args, command) : null;
}

function findFields(words: readonly string[], command: Command): Suggestion | null {
  const fields = getFields(command);
  const names = words.find((word) => word.split(',').every((name) => fields.includes(name)));
  if (names === undefined) return null;
  return { shown: `--fields ${names} --output json`, help: helpHint(commandPath(command)) };
}

/** Options of curl and gh for what is the first argument of `tradepost api`. */
const methodFlags: readonly string[] = ['-X', '--method', '--request'];

/** Suggests the method and path of `tradepost api`, if the method is missing or was passed as an option. */
function findRequest(
  flag: string | undefined,
  value: string | undefined,
  command: Command,
): Suggestion | null {
  if (commandPath(command).join(' ') !== 'api') return null;
  const isMethod = flag !== undefined && methodFlags.includes(flag);
  const isOther = flag !== undefined && !isMethod && !parameterFlags.includes(flag);
  const [first = ''] = command.args;
  if (isOther || (!isMethod && !isRequestPath(first))) return null;
  const method = isMethod ? (parseMethod(value, command) ?? 'METHOD') : guessMethod(command);
  const path = command.args.find(isRequestPath) ?? 'PATH';
  // What else was typed is not repeated: it may be a secret.
  const [pathname = '', query] = toPath(path).split('?');
  const isShown = (word: string) =>
    word === path ||
    word.toUpperCase() === method ||
    (isMethod && (word === value || word.startsWith(flag)));
  const hasMore =
    query !== undefined || Object.keys(command.opts()).length > 0 || !command.args.every(isShown);
  const words = [method, quoteWord(pathname), ...(hasMore ? ['…'] : [])];
  return { shown: `\`tradepost api ${words.join(' ')}\``, help: helpHint(['api']) };
}

function isRequestPath(word: string): boolean {
  return /^(\/(?!\/)|v\d+\/)[^#\\\s]*$/.test(word);
}

function toPath(word: string): string {
  return word.startsWith('/') || word === 'PATH' ? word : `/${word}`;
}

function parseMethod(text = '', { registeredArguments: [method] }: Command): string | null {
  const known = method === undefined ? [] : listChoices(method);
  return known.find((name) => name === text.toUpperCase()) ?? null;
}

function guessMethod(command: Command): string {
  const { field, input } = command.opts();
  const hasBody = field !== undefined || input !== undefined || listParameters(command).length > 0;
  return hasBody ? 'POST' : 'GET';
}

/** Options of curl, gh and stripe for a parameter of a request. */
const parameterFlags: readonly string[] = ['-d', '--data', '--data-raw', '-f', '-F', '--raw-field'];

/**
 * Suggests the options for parameters in the form `name=value`, or in a JSON object: `--listing lst_1` for
 * `-d listingId=lst_1`.
 */
function findParameters(flag: string, command: Command): Suggestion | null {
  if (!parameterFlags.includes(flag)) return null;
  const texts = listParameters(command);
  const isRequest = findKnownOption(command, '--field') !== undefined;
  const options = isRequest
    ? texts.flatMap((text) => showRequestOptions(text, command))
    : texts.flatMap(parseParameters).flatMap((parameter) => showParameter(parameter, command));
  if (options.length === 0) return null;
  return { shown: [...new Set(options)].join(' '), help: helpHint(commandPath(command)) };
}

/** Returns the values of all options for parameters. */
function listParameters({ args }: Command): string[] {
  return args.flatMap((word, index) => {
    const flag = parameterFlags.find(
      (one) => word === one || word.startsWith(one.startsWith('--') ? `${one}=` : one),
    );
    if (flag === undefined) return [];
    const value = word === flag ? args[index + 1] : word.slice(flag.length).replace(/^=/, '');
    return value === undefined ? [] : [value];
  });
}

type Parameter = readonly [name: string, value: string];

/** Parses `name=value`, several of them joined by `&`, or a JSON object. */
function parseParameters(text: string): Parameter[] {
  if (!text.startsWith('{')) {
    return text.split('&').flatMap((part) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(part) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    });
  }
  try {
    const body: Record<string, unknown> = JSON.parse(text);
    return Object.entries(body).map(([field, content]) => [field, String(content)]);
  } catch {
    return [];
  }
}

/** Shows the options of `tradepost api` for a part of the body, or of the query of a GET. */
function showRequestOptions(text: string, { args: [method = ''] }: Command): string[] {
  const option = method.toUpperCase() === 'GET' ? '--query' : '--field';
  if (/^[@{[]/.test(text)) return ['--input FILE'];
  const parameters = parseParameters(text);
  if (parameters.length === 0) return [`${option} NAME=VALUE`];
  return parameters.map(([name, value]) => {
    return `${option} ${name}=${isHarmless(value) ? value : 'VALUE'}`;
  });
}

/** Whether a value is shown. Anything else that was typed may be a secret. */
function isHarmless(value: string): boolean {
  const isStatus = orderStatuses.some((status) => status === value);
  return isAnyId(value) || isStatus || /^(\d{1,3}|true|false)$/.test(value);
}

/** Shows the option for a parameter of the API; with its value, unless that may be a secret. */
function showParameter([name, value]: Parameter, command: Command): string[] {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const long = findKnownOption(command, flag)?.long ?? findOption(flag, undefined, command)?.shown;
  const option = long === undefined ? undefined : findKnownOption(command, long ?? '');
  if (option === undefined || option.isBoolean()) return [];
  const isShown = isHarmless(value) || listChoices(option).includes(value);
  const [placeholder = ''] = /<.*>/.exec(option.flags) ?? [];
  return [`${option.long} ${isShown ? value : placeholder}`];
}
