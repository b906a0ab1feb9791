import type { Snippet } from './find-snippets';

/** A command that a snippet tells its reader to type. */
export interface Command {
  /** As the shell gets it: continued lines are still continued, a comment is still there. */
  text: string;
  /** The lines that a `console` snippet shows below it; undefined in `sh`, which shows none. */
  output: string[] | undefined;
  /** What it ends with: 0 unless the snippet shows another number below `$ echo $?`. */
  exitCode: number;
}

/** Finds the commands of a snippet in `sh` or `console`, in their order. */
export function findCommands(snippet: Snippet): Command[] {
  return snippet.language === 'console' ? ofConsole(snippet) : ofScript(snippet);
}

const goesOn = (text: string | undefined) => text?.endsWith('\\') ?? false;

function ofScript({ code }: Snippet): Command[] {
  const commands: Command[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (last !== undefined && goesOn(last.text)) last.text += `\n${line}`;
    else if (/^\s*[^\s#]/.test(line)) commands.push({ text: line, output: undefined, exitCode: 0 });
  }
  return commands;
}

function ofConsole({ readme, line: start, code }: Snippet): Command[] {
  const commands: { text: string; output: string[]; exitCode: number }[] = [];
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), output: [], exitCode: 0 });
    else if (last === undefined) throw new Error(`${readme}:${start} shows output of no command.`);
    else if (last.output.length === 0 && goesOn(last.text)) last.text += `\n${line}`;
    else last.output.push(line);
  }
  // `echo $?` is no command of its own: it tells how the one before it ended.
  for (const [index, { text, output }] of commands.entries()) {
    const before = commands[index - 1];
    if (text.trim() === 'echo $?' && before) before.exitCode = Number(output.join());
  }
  return commands.filter(({ text }) => text.trim() !== 'echo $?');
}
