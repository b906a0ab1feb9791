/** Renders man pages from the definitions that help pages are made of. Source of the macros: man(7). */
import type { Command } from 'commander';
import { version } from '../package.json';
import { formatOutput, precedence } from '../src/commands/help';
import { exitCodes } from '../src/errors/exit-codes';
import { environment, getHelp, rootExamples } from '../src/help/help';

/** Characters that have a meaning in roff, or that it replaces by others. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
  '…': '...',
};

/** Escapes a line of text: it is shown as it is, and can be copied from the page. */
export function escapeRoff(text: string): string {
  const line = text.replace(/[\\'`^~"…-]|[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return escapes[character] ?? `\\[u${code}]`;
  });
  // A line that begins with a dot would be a request.
  return line.startsWith('.') ? `\\&${line}` : line;
}

const bold = (text: string) => `\\fB${escapeRoff(text)}\\fR`;
const italic = (text: string) => `\\fI${escapeRoff(text)}\\fR`;

/** Escapes a text with `code` in it. */
function formatText(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? bold(part) : part === '' ? '' : escapeRoff(part)))
    .join('');
}

/** Formats the term of an option or an argument: names are bold, and placeholders italic. */
function formatTerm(term: string): string {
  return term
    .split(/(<[^>]+>)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('<') ? italic(part.slice(1, -1)) : bold(part)))
    .join('');
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`.SH ${title.toUpperCase()}`, ...lines];

const entry = (term: string, description: string) => ['.TP', term, formatText(description)];

/** Formats lines as they are. */
const preformatted = (lines: readonly string[]) => ['.nf', ...lines.map(escapeRoff), '.fi'];

/** Formats lines of a help page: a paragraph each, except for tables. */
function paragraphs(lines: readonly string[] = []): string[] {
  return lines.flatMap((line, index) => {
    const text = line.includes('  ') ? preformatted([line]) : [formatText(line)];
    return index === 0 ? text : ['.PP', ...text];
  });
}

const examples = (lines: readonly string[] = []) =>
  section(
    'Examples',
    lines.flatMap((line, index) => [...(index === 0 ? [] : ['.PP']), ...preformatted([line])]),
  );

function commandWords(command: Command): string[] {
  return [...(command.parent ? commandWords(command.parent) : []), command.name()];
}

/** Returns the name of a command's page, without its section: `tradepost-orders-list`. */
export function pageName(command: Command): string {
  return commandWords(command).join('-');
}

const reference = (command: Command) => `${bold(pageName(command))}(1)`;

function header(command: Command): string[] {
  const name = pageName(command);
  const summary = command.summary() || command.description().replace(/\.$/, '');
  const title = escapeRoff(name.toUpperCase());
  return [
    // Without a date: the same sources make the same page.
    `.TH "${title}" "1" "" "tradepost ${escapeRoff(version)}" "User Commands"`,
    // Neither adjusted nor hyphenated.
    '.ad l',
    '.nh',
    '.SH NAME',
    `${escapeRoff(name)} \\- ${escapeRoff(summary.charAt(0).toLowerCase() + summary.slice(1))}`,
  ];
}

function synopsis(command: Command): string[] {
  const name = commandWords(command).join(' ');
  const usage = command.createHelp().commandUsage(command).split('\n');
  const lines = usage.map((line) => {
    const rest = line.trim().slice(name.length).trim();
    return `${bold(name)} ${escapeRoff(rest)}`.trim();
  });
  return section(
    'Synopsis',
    lines.flatMap((line, index) => (index === 0 ? [line] : ['.br', line])),
  );
}

function options(command: Command): string[] {
  const help = command.createHelp();
  const lines = help
    .visibleOptions(command)
    .flatMap((option) =>
      entry(formatTerm(help.optionTerm(option)), help.optionDescription(option)),
    );
  return section('Options', lines);
}

function commands(command: Command): string[] {
  const children = command.createHelp().visibleCommands(command);
  const heading = (child: Command, index: number) =>
    child.helpGroup() && child.helpGroup() !== children[index - 1]?.helpGroup()
      ? [`.SS ${escapeRoff(child.helpGroup().replace(/:$/, ''))}`]
      : [];
  return section(
    'Commands',
    children.flatMap((child, index) => [
      ...heading(child, index),
      ...entry(reference(child), child.summary()),
    ]),
  );
}

const seeAlso = (pages: readonly Command[]) =>
  section('See also', [pages.map(reference).join(', ')]);

function render(...parts: string[][]): string {
  return `${parts.flat().join('\n')}\n`;
}

/** Renders the page of the program itself. */
export function renderProgram(program: Command): string {
  const outputLines = formatOutput(Number.POSITIVE_INFINITY);
  return render(
    header(program),
    section('Synopsis', [`${bold('tradepost')} [options] ${italic('command')}`]),
    section('Description', [escapeRoff(program.description())]),
    options(program),
    commands(program),
    section('Output', preformatted(outputLines)),
    section('Environment', [
      ...Object.entries(environment).flatMap(([name, text]) => entry(bold(name), text)),
      '.PP',
      formatText(precedence),
    ]),
    section(
      'Exit status',
      Object.values(exitCodes).flatMap(({ code, meaning }) => entry(bold(`${code}`), meaning)),
    ),
    examples(rootExamples),
  );
}

/** Renders the page of a command or a group that is loaded. */
export function renderCommand(command: Command): string {
  const { Examples, Output, Notes } = getHelp(command);
  const help = command.createHelp();
  const list = help
    .visibleArguments(command)
    .flatMap((argument) =>
      entry(italic(help.argumentTerm(argument)), help.argumentDescription(argument)),
    );
  const { parent } = command;
  const root = parent?.parent ?? parent ?? command;
  const siblings = parent === root ? [] : (parent?.commands ?? []).filter((one) => one !== command);
  return render(
    header(command),
    synopsis(command),
    section('Description', [
      escapeRoff(command.description()),
      ...(Notes === undefined ? [] : ['.PP', ...paragraphs(Notes)]),
    ]),
    section('Arguments', list),
    options(command),
    section('Global options', [`For options of all commands, see ${reference(root)}.`]),
    commands(command),
    section('Output', paragraphs(Output)),
    section('Exit status', [`See ${reference(root)}.`]),
    examples(Examples),
    seeAlso([root, ...(parent && parent !== root ? [parent] : []), ...siblings]),
  );
}
