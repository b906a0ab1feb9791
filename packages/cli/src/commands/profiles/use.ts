import type { Command } from 'commander';
import { listProfileNames, updateProfiles } from '../../config/profiles';
import { listProfilesHint, unknownProfileError } from '../../config/settings';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { type GlobalOptions, withValues } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange, printNotice } from '../../output/print';
import { type ProfileItem, profileView, toProfileItems } from './profile-view';

export function configure(command: Command, context: CliContext): void {
  const parse = withValues(
    (text: string) => text,
    () => listProfileNames(context.env),
  );
  command
    .argument('<name>', 'name of a profile', parse)
    .action((name: string) => use(name, command.optsWithGlobals<GlobalOptions>(), context));
  addHelp(command, {
    fields: profileView.fields,
    Examples: ['$ tradepost profiles use staging'],
    Output: [`json: the profile that is now the current one, ${describeShape(profileView)}`],
    Notes: ['`--profile NAME` and TRADEPOST_PROFILE select another for one command or one shell.'],
  });
}

async function use(name: string, options: GlobalOptions, context: CliContext): Promise<void> {
  const format = await chooseFormat<ProfileItem>(options, profileView, context);
  const changed = await updateProfiles(context, ({ profiles }) => {
    if (!Object.hasOwn(profiles, name)) throw unknownProfileError(name);
    return { profiles, current: name };
  });
  for (const profile of toProfileItems(changed).filter((one) => one.name === name)) {
    await printChange(
      context,
      `'${name}' is the current profile`,
      () => format.formatItem(profile),
      listProfilesHint,
    );
  }
  const named = context.env.TRADEPOST_PROFILE?.trim();
  if (named && named !== name) {
    printNotice(context, `TRADEPOST_PROFILE is set: '${named}' is used until you unset it.`);
  }
}
