import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { environmentTopic } from '../help/environment-topic';
import { exitCodesTopic } from '../help/exit-codes-topic';
import { outputTopic } from '../help/output-topic';
import { sections } from '../help/sections';
import { writeData } from '../output/write';
import type { Terminal } from '../terminal';

/** Texts that belong to no command. */
const topics: ReadonlyMap<string, () => string> = new Map([
  ['exit-codes', exitCodesTopic],
  ['environment', environmentTopic],
  ['output', outputTopic],
]);

const topicNames = Array.from(topics.keys()).join(', ');

/** `tradepost help [topic...]`: a command's help, or a topic's text. */
export function define(command: Command, terminal: Terminal): void {
  command
    .argument('[topic...]', `a command, or a topic: ${topicNames}`)
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost help orders set-status',
          '$ tradepost help exit-codes',
          '$ tradepost help output',
        ],
      }),
    )
    .action((path: string[]) => showHelp(command, path, terminal));
}

async function showHelp(command: Command, path: string[], terminal: Terminal): Promise<void> {
  const program = command.parent ?? command;
  const topic = path.length === 1 ? topics.get(path[0] ?? '') : undefined;
  if (topic) return await writeData(terminal.stdout, topic());
  let found: Command | undefined = program;
  for (const name of path) found = found?.commands.find((child) => child.name() === name);
  if (!found) {
    throw new CliError(
      'usage',
      `there is no help for '${path.join(' ')}'`,
      `\`tradepost --help\` lists the commands. Other topics: ${topicNames}.`,
    );
  }
  // Asked for in the usual way, so that the command is loaded and shows all that it takes.
  await program.parseAsync([...path, '--help'], { from: 'user' });
}
