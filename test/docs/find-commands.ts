import type { Snippet } from './find-snippets';

/** A command in a snippet. */
export interface Command {
  /** The text for the shell, including continuation lines and comments. */
  text: string;
  /** The lines that a `console` snippet shows below it; undefined in `sh`, which shows none. */
  output: string[] | undefined;
  /** The exit code that the snippet shows below `$ echo $?`. Defaults to 0. */
  exitCode: number;
}

/** Finds the commands of a snippet in `sh` or `console`, in order. */
export function findCommands(snippet: Snippet): Command[] {
  return snippet.language === 'console' ? parseConsole(snippet) : parseScript(snippet);
}

const isContinued = (text: string | undefined) => text?.endsWith('\\') ?? false;

function parseScript({ code }: Snippet): Command[] {
  const commands: Command[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (last !== undefined && isContinued(last.text)) last.text += `\n${line}`;
    else if (/^\s*[^\s#]/.test(line)) commands.push({ text: line, output: undefined, exitCode: 0 });
  }
  return commands;
}

function parseConsole({ readme, line: start, code }: Snippet): Command[] {
  const commands: { text: string; output: string[]; exitCode: number }[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), output: [], exitCode: 0 });
    else if (last === undefined)
      throw new Error(`${readme}:${start} shows output without a command.`);
    else if (last.output.length === 0 && isContinued(last.text)) last.text += `\n${line}`;
    else last.output.push(line);
  }
  // `echo $?` shows the exit code of the command before it.
  for (const [index, { text, output }] of commands.entries()) {
    const before = commands[index - 1];
    if (text.trim() === 'echo $?' && before) before.exitCode = Number(output.join());
  }
  return commands.filter(({ text }) => text.trim() !== 'echo $?');
}
