import { PassThrough } from 'node:stream';
import type { Argument, Command, Option } from 'commander';
import { formatOutput, precedence } from '../../packages/cli/src/commands/help';
import type { CliContext } from '../../packages/cli/src/context';
import { wait } from '../../packages/cli/src/context';
import { exitCodes } from '../../packages/cli/src/errors/exit-codes';
import { environment, getHelp, rootExamples } from '../../packages/cli/src/help/help';
import { createProgram } from '../../packages/cli/src/program';
import { usageExitCode } from '../../packages/server/src/commands/operator-error';
import { createProgram as createServerProgram } from '../../packages/server/src/commands/program';
import { code, escapeText, fence, list, type PageText, paragraphs, table } from './markdown';

const isHelp = (option: Option) => option.long === '--help';

/** Writes the words of a command: `tradepost orders list`. */
function commandWords(command: Command): string {
  return [...(command.parent ? [commandWords(command.parent)] : []), command.name()].join(' ');
}

/** Writes a summary as a sentence: the server's begin in lower case and end without a full stop. */
function toSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return escapeText(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
}

function optionTable(command: Command): string {
  const help = command.createHelp();
  const rows = help
    .visibleOptions(command)
    .filter((option) => !isHelp(option))
    .map((option) => [code(help.optionTerm(option)), escapeText(help.optionDescription(option))]);
  return rows.length === 0 ? '' : table(['Option', 'What it does'], rows);
}

function argumentTable(command: Command): string {
  const help = command.createHelp();
  const rows = help
    .visibleArguments(command)
    .map((argument: Argument) => [
      code(help.argumentTerm(argument)),
      escapeText(help.argumentDescription(argument)),
    ]);
  return rows.length === 0 ? '' : table(['Argument', 'What it is'], rows);
}

/** Writes lines of a help page: rows of `term  description` as a block, and sentences as paragraphs. */
function helpLines(lines: readonly string[] = []): string {
  const isRow = (line: string) => /\S {2,}\S/.test(line);
  const rows = lines.filter(isRow);
  const texts = lines.filter((line) => !isRow(line)).map(escapeText);
  return paragraphs(list(texts), rows.length > 0 ? fence('text', rows.join('\n')) : '');
}

const labelled = (label: string, text: string) => (text === '' ? '' : paragraphs(label, text));

function usage(command: Command): string {
  const lines = command.createHelp().commandUsage(command).split('\n');
  return fence('text', lines.map((line) => line.trim()).join('\n'));
}

/** Writes the section of a command that does something. */
function commandSection(command: Command): string {
  const { Examples = [], Output, Notes } = getHelp(command);
  return paragraphs(
    toSentence(command.description() || command.summary()),
    usage(command),
    argumentTable(command),
    optionTable(command),
    labelled(
      '**Examples**',
      Examples.length === 0
        ? ''
        : fence('sh', Examples.map((line) => line.replace(/^\$ /, '')).join('\n')),
    ),
    labelled('**Output**', helpLines(Output)),
    labelled('**Notes**', helpLines(Notes)),
  );
}

/** Lists the commands of a group as its help does, without the `help` that the parser adds to each group. */
function listCommands(group: Command): Command[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .filter((command) => group.commands.includes(command));
}

/** Lists the commands of a group that do something; a command that is no group is itself one. */
function listRunnable(command: Command): Command[] {
  const children = listCommands(command);
  return children.length === 0 ? [command] : children.flatMap(listRunnable);
}

function commandPage(command: Command, folder: string, exitCodePage: string): PageText {
  const words = commandWords(command);
  const summary = toSentence(command.summary() || command.description());
  const runnable = listRunnable(command);
  const isGroup = runnable[0] !== command;
  return {
    path: `${folder}/${command.name()}.md`,
    title: words,
    group: 'cli',
    description: summary,
    body: paragraphs(
      isGroup ? summary : '',
      isGroup
        ? table(
            ['Command', 'What it does'],
            runnable.map((one) => [
              `[${code(commandWords(one))}](#${commandWords(one).replaceAll(' ', '-')})`,
              toSentence(one.summary() || one.description()),
            ]),
          )
        : '',
      ...(isGroup
        ? runnable.map((one) => paragraphs(`## ${commandWords(one)}`, commandSection(one)))
        : [commandSection(command)]),
      '## Global options and exit codes',
      exitCodePage,
    ),
  };
}

/** A context in which no command runs: its definitions only are read. */
function idleContext(): CliContext {
  return {
    stdin: () => new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: new PassThrough() as unknown as NodeJS.WriteStream,
    stderr: new PassThrough() as unknown as NodeJS.WriteStream,
    env: {},
    signal: new AbortController().signal,
    now: Date.now,
    elapsed: () => performance.now(),
    wait,
  };
}

async function loadProgram(): Promise<Command> {
  const { program, load } = createProgram(idleContext());
  async function loadAll(command: Command): Promise<void> {
    await load(command);
    for (const child of listCommands(command)) await loadAll(child);
  }
  for (const child of listCommands(program)) await loadAll(child);
  return program;
}

const environmentTable = () =>
  table(
    ['Variable', 'What it is'],
    Object.entries(environment).map(([name, text]) => [code(name), escapeText(text)]),
  );

function commandList(program: Command): string {
  const rows = listCommands(program).map((command) => [
    `[${code(commandWords(command))}](./${command.name()}.md)`,
    toSentence(command.summary() || command.description()),
  ]);
  return table(['Command', 'What it does'], rows);
}

function overview(program: Command): PageText {
  return {
    path: 'cli/index.md',
    title: 'tradepost',
    group: 'cli',
    description: program.description(),
    body: paragraphs(
      escapeText(program.description()),
      fence('text', 'tradepost [options] COMMAND'),
      '## Commands',
      commandList(program),
      'The server has a program of its own: [`tradepost-server`](./server/index.md).',
      '## Global options',
      'They are accepted before and after the command.',
      optionTable(program),
      '## Examples',
      fence('sh', rootExamples.map((line) => line.replace(/^\$ /, '')).join('\n')),
      '## Environment',
      environmentTable(),
      escapeText(precedence),
      '## Output',
      fence('text', formatOutput(Number.POSITIVE_INFINITY).join('\n').trim()),
      '## Exit codes',
      table(
        ['Code', 'Meaning'],
        Object.values(exitCodes).map(({ code: number, meaning }) => [
          code(String(number)),
          escapeText(meaning),
        ]),
      ),
    ),
  };
}

function serverOverview(program: Command): PageText {
  return {
    path: 'cli/server/index.md',
    title: 'tradepost-server',
    group: 'cli',
    description: program.description(),
    body: paragraphs(
      escapeText(program.description()),
      fence('text', 'tradepost-server [options] COMMAND'),
      '## Commands',
      commandList(program),
      '## Exit codes',
      table(
        ['Code', 'Meaning'],
        [
          [code('0'), 'success'],
          [code('1'), 'failure; the message says why and what to do'],
          [code(String(usageExitCode)), 'invalid command, option or argument; nothing was done'],
        ],
      ),
    ),
  };
}

/** Writes the pages of both command lines, from the definitions that their help is made of: a page for each noun. */
export async function cliPages(): Promise<PageText[]> {
  const program = await loadProgram();
  const server = createServerProgram({ stdout: new PassThrough(), stderr: new PassThrough() });
  const note =
    'See [`tradepost`](./index.md#global-options) for the options of all commands, and its [exit codes](./index.md#exit-codes).';
  const serverNote = 'See [`tradepost-server`](./index.md#exit-codes).';
  return [
    overview(program),
    ...listCommands(program).map((command) => commandPage(command, 'cli', note)),
    serverOverview(server),
    ...listCommands(server).map((command) => commandPage(command, 'cli/server', serverNote)),
  ];
}
