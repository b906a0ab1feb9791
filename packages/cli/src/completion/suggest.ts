import type { Argument, Command, Option } from 'commander';
import { getFields, getValues } from '../input/options';

export interface Suggestion {
  value: string;
  description?: string;
}

export interface Suggestions {
  words: Suggestion[];
  /** Whether the shell suggests files, if there are no words. */
  areFiles?: true;
}

export interface Source {
  program: Command;
  load: (command: Command) => Promise<void>;
  profiles: () => readonly string[];
}

interface CursorContext {
  command: Command;
  /** The topics of `help`, if the words begin with it. */
  topics: readonly string[];
  operands: number;
  waiting: Option | null;
  /** Whether `--` ended the options. */
  optionsEnded: boolean;
}

/**
 * Suggests words for the end of a command line. Only the command that it names is loaded.
 *
 * @param line the words up to the cursor, without the program; the last one may be empty
 */
export async function suggest(source: Source, line: readonly string[]): Promise<Suggestions> {
  const typed = line.at(-1) ?? '';
  const cursor = await parseCursorContext(source, line.slice(0, -1));
  if (cursor.waiting !== null) {
    return valueSuggestions(cursor.waiting, typed, cursor.command, source);
  }
  if (!cursor.optionsEnded && typed.startsWith('-')) {
    const [flag = '', ...value] = typed.split('=');
    if (value.length === 0) return { words: filterByPrefix(listOptions(cursor.command), typed) };
    // The parser takes what follows a short option, `=` included, for its value.
    const option = flag.startsWith('--') ? findOption(cursor.command, flag) : null;
    // The shell keeps what precedes the value.
    return option?.required
      ? valueSuggestions(option, value.join('='), cursor.command, source)
      : { words: [] };
  }
  return argumentSuggestions(cursor, typed, source);
}

async function parseCursorContext(
  { program, load }: Source,
  words: readonly string[],
): Promise<CursorContext> {
  const cursor: CursorContext = {
    command: program,
    topics: [],
    operands: 0,
    waiting: null,
    optionsEnded: false,
  };
  for (const word of words) {
    if (cursor.waiting !== null) {
      cursor.waiting = null;
    } else if (!cursor.optionsEnded && word === '--') {
      cursor.optionsEnded = true;
    } else if (!cursor.optionsEnded && /^-./.test(word)) {
      const option = findOption(cursor.command, word);
      cursor.waiting = option?.required ? option : null;
    } else {
      const child = cursor.operands > 0 ? undefined : findSubcommand(cursor.command, word);
      if (child === undefined) {
        cursor.operands += 1;
        continue;
      }
      await load(child);
      // `help` takes the commands of the program.
      const isHelp = child.name() === 'help';
      cursor.command = isHelp ? program : child;
      cursor.topics = isHelp
        ? (getValues(child.registeredArguments[0]?.parseArg)?.values() ?? [])
        : [];
    }
  }
  return cursor;
}

function findSubcommand(command: Command, name: string): Command | undefined {
  return command.commands.find((child) => child.name() === name || child.aliases().includes(name));
}

function findOption(command: Command, flag: string): Option | null {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  return own ?? (command.parent ? findOption(command.parent, flag) : null);
}

function listOptions(command: Command): Suggestion[] {
  const options = [...command.createHelp().visibleOptions(command)];
  for (let { parent } = command; parent !== null; parent = parent.parent) {
    options.push(...parent.options);
  }
  return options.flatMap(({ short, long, description }) =>
    [short, long].filter((value) => value !== undefined).map((value) => ({ value, description })),
  );
}

async function argumentSuggestions(
  { command, topics, operands }: CursorContext,
  typed: string,
  source: Source,
): Promise<Suggestions> {
  if (command.commands.length > 0) {
    if (operands > 0) return { words: [] };
    const commands = command.createHelp().visibleCommands(command);
    const words = commands.map((child) => ({ value: child.name(), description: child.summary() }));
    return { words: filterByPrefix([...words, ...topics.map((value) => ({ value }))], typed) };
  }
  const taken = command.registeredArguments;
  const last = taken.at(-1);
  const argument = taken[operands] ?? (last?.variadic ? last : undefined);
  return argument === undefined
    ? { words: [] }
    : valueSuggestions(argument, typed, command, source);
}

/** Suggests values for an option or an argument, if its values are known. */
async function valueSuggestions(
  target: Option | Argument,
  typed: string,
  command: Command,
  source: Source,
): Promise<Suggestions> {
  const known = (await namedValues(target, command, source)) ?? getValues(target.parseArg);
  const values = known?.values() ?? target.argChoices ?? [];
  const placeholder = 'flags' in target ? target.flags : `<${target.name()}>`;
  const given = known?.isList ? typed.split(',').slice(0, -1) : [];
  const words = values
    .filter((value) => !given.includes(value))
    .map((value) => ({ value: [...given, value].join(',') }))
    .filter(({ value }) => value.startsWith(typed));
  // A list may go on: after an only word, shells add a space.
  if (known?.isList && words.length === 1) words.push({ value: `${words[0]?.value},` });
  const areFiles = /<(file|folder)[>|]/.test(placeholder);
  return {
    // Shells suggest files only if there are no words.
    words: areFiles && typed === '' ? [] : words,
    ...(areFiles && { areFiles }),
  };
}

/** Returns the values of options and arguments that are known by name. IDs are not suggested. */
async function namedValues(
  target: Option | Argument,
  command: Command,
  { profiles }: Source,
): Promise<ReturnType<typeof getValues>> {
  if ('long' in target) {
    if (target.long === '--profile') return { values: profiles, isList: false };
    if (target.long !== '--fields') return null;
    const fields = [...new Set(getFields(command))];
    return { values: () => fields, isList: true };
  }
  if (target.name() !== 'ids-and-status') return null;
  const { orderStatuses } = await import('@tradepost/sdk');
  return { values: () => orderStatuses, isList: false };
}

function filterByPrefix(words: readonly Suggestion[], typed: string): Suggestion[] {
  return words.filter(({ value }) => value.startsWith(typed));
}

/** A bit of the last line. Source: the completion protocol of Cobra. */
const noFiles = 4;

/** Formats suggestions for a shell: a line per word with a tab and its description, then `:` and the bits. */
export function formatSuggestions({ words, areFiles }: Suggestions): string {
  const lines = words.map(({ value, description }) =>
    description ? `${value}\t${description.replaceAll(/\s+/g, ' ')}` : value,
  );
  return [...lines, `:${areFiles ? 0 : noFiles}`, ''].join('\n');
}
