import type { Argument, Command, Option } from 'commander';
import { valuesOf } from './knows-values';

/** A word that a shell may put in. */
export interface Suggestion {
  value: string;
  /** What it means, for shells that show it. */
  description?: string;
}

/** What a shell may put in where the cursor is. */
export interface Suggestions {
  words: Suggestion[];
  /** Whether the name of a file belongs there. */
  areFiles?: true;
  /** Whether more may follow at once: the shell sets no space. */
  goesOn?: true;
}

/** What suggestions are made from. */
export interface Source {
  /** The command line, with every command's name. */
  program: Command;
  /** Gives a command what it takes. */
  load: (command: Command) => Promise<void>;
  /** The names of the logins. */
  logins: () => readonly string[];
}

/** Where the cursor is in a command line. */
interface Place {
  command: Command;
  /** How many arguments the command has before the cursor. */
  operands: number;
  /** The option that waits for its value. */
  waiting: Option | null;
  /** Whether `--` came: what follows are arguments, whatever they begin with. */
  optionsEnded: boolean;
}

/**
 * Suggests words for the end of a command line. Only the command that it leads to is loaded.
 *
 * @param line what is typed so far, without the program; the last word may be empty
 */
export async function suggest(source: Source, line: readonly string[]): Promise<Suggestions> {
  const typed = line.at(-1) ?? '';
  const place = await placeOf(source, line.slice(0, -1));
  if (place.waiting !== null) return valueSuggestions(place.waiting, typed, source);
  if (!place.optionsEnded && typed.startsWith('-')) {
    const [flag = '', ...value] = typed.split('=');
    if (value.length === 0) return { words: matching(optionsOf(place.command), typed) };
    const option = findOption(place.command, flag);
    // The shell knows what stands before the value.
    return option?.required ? valueSuggestions(option, value.join('='), source) : { words: [] };
  }
  return argumentSuggestions(place, typed, source);
}

async function placeOf({ program, load }: Source, words: readonly string[]): Promise<Place> {
  const place: Place = { command: program, operands: 0, waiting: null, optionsEnded: false };
  for (const word of words) {
    if (place.waiting !== null) {
      place.waiting = null;
    } else if (!place.optionsEnded && word === '--') {
      place.optionsEnded = true;
    } else if (!place.optionsEnded && /^-./.test(word)) {
      const option = findOption(place.command, word);
      place.waiting = option?.required ? option : null;
    } else {
      const child = place.operands > 0 ? undefined : childOf(place.command, word);
      if (child === undefined) place.operands += 1;
      // The commands that `help` takes are those of the program.
      else place.command = child.name() === 'help' ? program : child;
      if (child !== undefined) await load(child);
    }
  }
  return place;
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((child) => child.name() === name || child.aliases().includes(name));
}

/** An option of a command, or one that every command takes. */
function findOption(command: Command, flag: string): Option | null {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  return own ?? (command.parent ? findOption(command.parent, flag) : null);
}

function optionsOf(command: Command): Suggestion[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    .filter((option) => option.long !== undefined)
    .map((option) => ({ value: option.long ?? '', description: option.description }));
}

async function argumentSuggestions(
  { command, operands }: Place,
  typed: string,
  source: Source,
): Promise<Suggestions> {
  if (command.commands.length > 0) {
    if (operands > 0) return { words: [] };
    const commands = command.createHelp().visibleCommands(command);
    const words = commands.map((child) => ({ value: child.name(), description: child.summary() }));
    return { words: matching(words, typed) };
  }
  const taken = command.registeredArguments;
  const last = taken.at(-1);
  const argument = taken[operands] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? { words: [] } : valueSuggestions(argument, typed, source);
}

/** Suggests values for an option or an argument, as far as it is known what it takes. */
async function valueSuggestions(
  target: Option | Argument,
  typed: string,
  { logins }: Source,
): Promise<Suggestions> {
  const known = valuesOf(target.parseArg);
  const values = (await namedValues(target, logins)) ?? target.argChoices ?? known?.values();
  if (values === undefined) {
    const placeholder = 'flags' in target ? target.flags : `<${target.name()}>`;
    return /<(file|folder)>/.test(placeholder) ? { words: [], areFiles: true } : { words: [] };
  }
  if (!known?.isList)
    return {
      words: matching(
        values.map((value) => ({ value })),
        typed,
      ),
    };
  const given = typed.split(',').slice(0, -1);
  const rest = values.filter((value) => !given.includes(value));
  const words = rest.map((value) => ({ value: [...given, value].join(',') }));
  return { words: matching(words, typed), goesOn: true };
}

/** The values of what is known by its name. Of what takes ids and a status the ids are not known. */
async function namedValues(
  target: Option | Argument,
  logins: Source['logins'],
): Promise<readonly string[] | undefined> {
  if ('long' in target) return target.long === '--profile' ? logins() : undefined;
  if (target.name() !== 'ids-and-status') return undefined;
  return (await import('@tradepost/sdk')).orderStatuses;
}

function matching(words: readonly Suggestion[], typed: string): Suggestion[] {
  return words.filter(({ value }) => value.startsWith(typed));
}
