import type { Argument, Command, Option } from 'commander';
import { getValues } from '../input/options';

export interface Suggestion {
  value: string;
  description?: string;
}

export interface Suggestions {
  words: Suggestion[];
  areFiles?: true;
  /** Whether more may follow directly: the shell adds no space. */
  isPartial?: true;
}

export interface Source {
  program: Command;
  load: (command: Command) => Promise<void>;
  profiles: () => readonly string[];
}

interface CursorContext {
  command: Command;
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
  if (cursor.waiting !== null) return valueSuggestions(cursor.waiting, typed, source);
  if (!cursor.optionsEnded && typed.startsWith('-')) {
    const [flag = '', ...value] = typed.split('=');
    if (value.length === 0) return { words: filterByPrefix(listOptions(cursor.command), typed) };
    const option = findOption(cursor.command, flag);
    // The shell keeps what precedes the value.
    return option?.required ? valueSuggestions(option, value.join('='), source) : { words: [] };
  }
  return argumentSuggestions(cursor, typed, source);
}

async function parseCursorContext(
  { program, load }: Source,
  words: readonly string[],
): Promise<CursorContext> {
  const cursor: CursorContext = {
    command: program,
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
      if (child === undefined) cursor.operands += 1;
      // `help` takes the commands of the program.
      else cursor.command = child.name() === 'help' ? program : child;
      if (child !== undefined) await load(child);
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
  { command, operands }: CursorContext,
  typed: string,
  source: Source,
): Promise<Suggestions> {
  if (command.commands.length > 0) {
    if (operands > 0) return { words: [] };
    const commands = command.createHelp().visibleCommands(command);
    const words = commands.map((child) => ({ value: child.name(), description: child.summary() }));
    return { words: filterByPrefix(words, typed) };
  }
  const taken = command.registeredArguments;
  const last = taken.at(-1);
  const argument = taken[operands] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? { words: [] } : valueSuggestions(argument, typed, source);
}

/** Suggests values for an option or an argument, if its values are known. */
async function valueSuggestions(
  target: Option | Argument,
  typed: string,
  { profiles }: Source,
): Promise<Suggestions> {
  const known = getValues(target.parseArg);
  const values = (await namedValues(target, profiles)) ?? target.argChoices ?? known?.values();
  if (values === undefined) {
    const placeholder = 'flags' in target ? target.flags : `<${target.name()}>`;
    return /<(file|folder)>/.test(placeholder) ? { words: [], areFiles: true } : { words: [] };
  }
  if (!known?.isList)
    return {
      words: filterByPrefix(
        values.map((value) => ({ value })),
        typed,
      ),
    };
  const given = typed.split(',').slice(0, -1);
  const rest = values.filter((value) => !given.includes(value));
  const words = rest.map((value) => ({ value: [...given, value].join(',') }));
  return { words: filterByPrefix(words, typed), isPartial: true };
}

/** Returns the values of options and arguments that are known by name. IDs are not suggested. */
async function namedValues(
  target: Option | Argument,
  profiles: Source['profiles'],
): Promise<readonly string[] | undefined> {
  if ('long' in target) return target.long === '--profile' ? profiles() : undefined;
  if (target.name() !== 'ids-and-status') return undefined;
  return (await import('@tradepost/sdk')).orderStatuses;
}

function filterByPrefix(words: readonly Suggestion[], typed: string): Suggestion[] {
  return words.filter(({ value }) => value.startsWith(typed));
}

/** Bits of the last line. Source: the completion protocol of Cobra. */
const directives = { noSpace: 2, noFiles: 4 } as const;

/** Formats suggestions for a shell: a line per word with a tab and its description, then `:` and the bits. */
export function formatSuggestions({ words, areFiles, isPartial }: Suggestions): string {
  const lines = words.map(({ value, description }) =>
    description ? `${value}\t${description.replaceAll(/\s+/g, ' ')}` : value,
  );
  const directive = (isPartial ? directives.noSpace : 0) | (areFiles ? 0 : directives.noFiles);
  return [...lines, `:${directive}`, ''].join('\n');
}
