import type { Command } from 'commander';
import { type Login, loginShape, loginsOf, loginView } from '../../account/login-view';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { note } from '../../output/note';
import { showList } from '../../output/show-list';
import { configFolder } from '../../settings/folders';
import { profilesFile, readProfiles } from '../../settings/profiles';
import type { Terminal } from '../../terminal';

/** `tradepost profiles list`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost profiles list', "$ tradepost profiles list --jq '.[].name'"],
        Output: [`json: an array of ${loginShape}`],
        Notes: [
          'No service is asked. `tradepost whoami --profile NAME` tells whether a key works.',
        ],
      }),
    )
    .action(() => list(command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function list(options: GlobalOptions, terminal: Terminal): Promise<void> {
  const file = profilesFile(configFolder(terminal.env));
  async function* pages() {
    yield { data: loginsOf(readProfiles(file)), nextCursor: null };
  }
  const limit = Number.POSITIVE_INFINITY;
  await showList<Login>({ pages: pages(), limit, noun: 'logins' }, loginView, terminal, options);
  const named = terminal.env.TRADEPOST_PROFILE?.trim();
  if (named) note(terminal, `TRADEPOST_PROFILE is set: '${named}' is used instead of the current.`);
}
