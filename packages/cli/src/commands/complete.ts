import type { Command } from 'commander';
import { formatSuggestions, suggest } from '../completion/suggest';
import { listProfileNames } from '../config/profiles';
import type { CliContext } from '../context';
import { writeData } from '../output/print';

export function configure(
  command: Command,
  context: CliContext,
  load: (command: Command) => Promise<void>,
): void {
  command
    .argument('[word...]', 'the command line up to the cursor, without the program')
    .action(async (words: string[]) => {
      const program = command.parent ?? command;
      const source = { program, load, profiles: () => listProfileNames(context.env) };
      // A shell cannot show errors.
      const suggestions = await suggest(source, words).catch(() => ({ words: [] }));
      await writeData(context.stdout, formatSuggestions(suggestions));
    });
}
