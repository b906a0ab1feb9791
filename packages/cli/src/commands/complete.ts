import type { Command } from 'commander';
import { protocolText } from '../completion/protocol';
import { suggest } from '../completion/suggest';
import { writeData } from '../output/write';
import { loginNames } from '../settings/login-names';
import type { Terminal } from '../terminal';

/** `tradepost complete -- <word...>`: what the scripts of `tradepost completion` ask at each tab. */
export function define(
  command: Command,
  terminal: Terminal,
  load: (command: Command) => Promise<void>,
): void {
  command
    .argument('[word...]', 'the command line up to the cursor, without the program')
    .action((words: string[]) => complete(command, words, terminal, load));
}

async function complete(
  command: Command,
  words: string[],
  terminal: Terminal,
  load: (command: Command) => Promise<void>,
): Promise<void> {
  const program = command.parent ?? command;
  const source = { program, load, logins: () => loginNames(terminal.env) };
  // A shell has no place for what goes wrong: there are no suggestions then.
  const suggestions = await suggest(source, words).catch(() => ({ words: [] }));
  await writeData(terminal.stdout, protocolText(suggestions));
}
