import type { Command } from 'commander';
import { CliError } from '../cli-error';
import type { Terminal } from '../terminal';

/** Texts that belong to no command. */
const topics: Record<string, () => Promise<string>> = {
  'exit-codes': async () => (await import('../help/exit-codes-topic')).exitCodesTopic(),
};

/** `tradepost help [topic...]`: a command's help, or a topic's text. */
export function define(command: Command, terminal: Terminal): void {
  command
    .argument('[topic...]', `a command, or a topic: ${Object.keys(topics).join(', ')}`)
    .action((path: string[]) => showHelp(command, path, terminal));
}

async function showHelp(command: Command, path: string[], terminal: Terminal): Promise<void> {
  const program = command.parent ?? command;
  const topic = path.length === 1 ? topics[path[0] ?? ''] : undefined;
  if (topic) {
    terminal.stdout.write(await topic());
    return;
  }
  let found: Command | undefined = program;
  for (const name of path) found = found?.commands.find((child) => child.name() === name);
  if (!found) {
    throw new CliError(
      'usage',
      `there is no help for '${path.join(' ')}'`,
      `\`tradepost --help\` lists the commands. Other topics: ${Object.keys(topics).join(', ')}.`,
    );
  }
  // Asked for in the usual way, so that the command is loaded and shows all that it takes.
  await program.parseAsync([...path, '--help'], { from: 'user' });
}
