import { styleText } from 'node:util';
import type { HelpConfiguration } from 'commander';

/** A heading of the help: `EXAMPLES`. Colours are taken out again where the stream shows none. */
export function helpTitle(text: string): string {
  return styleText('bold', text.toUpperCase(), { validateStream: false });
}

/** How the parser lays its help out. */
export const helpStyle: HelpConfiguration = {
  showGlobalOptions: true,
  styleTitle: helpTitle,
  // A list of commands shows names alone: their arguments are in their own help.
  subcommandTerm: (command) => command.name(),
};
