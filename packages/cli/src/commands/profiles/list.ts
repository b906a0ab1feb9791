import type { Command } from 'commander';
import { configFolder, profilesFile, readProfiles } from '../../config/profiles';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import type { GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { printList, printNotice } from '../../output/print';
import { profileView, toProfileItems } from './profile-view';

export function configure(command: Command, context: CliContext): void {
  command.action(() => list(command.optsWithGlobals<GlobalOptions>(), context));
  addHelp(command, {
    fields: profileView.fields,
    Examples: ['$ tradepost profiles list', "$ tradepost profiles list --jq '.[].name'"],
    Output: [`json: an array of ${describeShape(profileView)}`],
    Notes: [
      'It sends no request: ACCOUNT and KIND are what the service reported at the last `login` or `whoami`. `tradepost whoami --profile NAME` checks a key.',
    ],
  });
}

async function list(options: GlobalOptions, context: CliContext): Promise<void> {
  const file = profilesFile(configFolder(context.env));
  async function* pages() {
    yield { data: toProfileItems(readProfiles(file)), nextCursor: null };
  }
  await printList(pages(), ['profile', 'profiles'], profileView, context, {
    ...options,
    all: true,
  });
  const named = context.env.TRADEPOST_PROFILE?.trim();
  if (named) printNotice(context, `TRADEPOST_PROFILE is set: '${named}' is used.`);
}
