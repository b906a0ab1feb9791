import type { Command } from 'commander';
import { identify } from '../account/identify';
import { identityOf, identityShape, identityView } from '../account/identity';
import { connectAs } from '../connect';
import type { GlobalOptions } from '../global-options';
import { sections } from '../help/sections';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { writeData } from '../output/write';
import { settingsOf } from '../settings/settings';
import type { Terminal } from '../terminal';

/** `tradepost whoami`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost whoami',
          '$ tradepost whoami --profile staging',
          '$ tradepost whoami --output json | jq -r .accountKind',
        ],
        Output: [`json: ${identityShape}`],
        Notes: [
          'The service is asked, so that a key it refuses ends with exit code 4.',
          'What a service does not tell is null. Of the key only its first characters are shown.',
        ],
      }),
    )
    .action(() => whoami(command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function whoami(options: GlobalOptions, terminal: Terminal): Promise<void> {
  const format = await chooseFormat(options, identityView, terminal.stdout);
  const settings = settingsOf(terminal, options);
  const tradepost = connectAs(settings, terminal, options);
  const account = await identify(tradepost, { signal: terminal.signal });
  await writeData(terminal.stdout, format.one(identityOf(settings, account)));
  if (account === null) {
    note(terminal, 'The service accepts the key. It does not tell whose it is.');
  }
}
