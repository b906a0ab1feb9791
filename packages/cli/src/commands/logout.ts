import type { Command } from 'commander';
import { defaultProfile, type Profiles, updateProfiles } from '../config/profiles';
import { listProfilesHint, selectedProfile, unknownProfileError } from '../config/settings';
import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import { addHelp } from '../help/help';
import type { GlobalOptions } from '../input/options';
import { chooseFormat, describeShape } from '../output/format';
import { printChange, printNotice } from '../output/print';
import { type ProfileItem, profileView, toProfileItems } from './profiles/profile-view';

interface Options extends GlobalOptions {
  all?: true;
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('--all', 'delete all profiles')
    .action(() => logout(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: profileView.fields,
    Examples: [
      '$ tradepost logout',
      '$ tradepost logout --profile staging',
      '$ tradepost logout --all',
    ],
    Output: [`json: an array of the deleted profiles, ${describeShape(profileView)}`],
    Notes: [
      'It deletes the current profile, or the one that --profile or TRADEPOST_PROFILE names.',
      'Without a profile the exit code is 2; with --all it is 0.',
      'The key stays valid: revoke it at the service.',
    ],
  });
}

async function logout(options: Options, context: CliContext): Promise<void> {
  if (options.all && options.profile !== undefined) {
    throw new CliError('usage', '--all and --profile conflict', 'Omit one of them.');
  }
  const format = await chooseFormat<ProfileItem>(options, profileView, context);
  let removed: ProfileItem[] = [];
  let before: string | null = null;
  const left = await updateProfiles(context, (stored) => {
    before = stored.current;
    const named = selectedProfile(context, options);
    const name = named ?? stored.current ?? defaultProfile;
    removed = toProfileItems(stored).filter((item) => options.all || item.name === name);
    if (removed.length === 0 && !options.all) {
      throw named === null
        ? new CliError('usage', 'You are not logged in', listProfilesHint)
        : unknownProfileError(named);
    }
    return withoutProfiles(stored, removed);
  });
  const names = removed.map(({ name }) => `'${name}'`).join(', ') || 'no profile';
  await printChange(
    context,
    `deleted ${names}`,
    async () => (await format.formatItems(removed.map(toDeleted))) + (await format.end()),
    listProfilesHint,
  );
  if (removed.length === 0) printNotice(context, 'No profiles to delete.');
  for (const { name, baseUrl } of removed) {
    printNotice(context, `Deleted profile '${name}' for ${baseUrl}. Its key is still valid.`);
  }
  const others = toProfileItems(left);
  if (others.length > 0) {
    const current = others.find((profile) => profile.current);
    printNotice(
      context,
      current
        ? `'${current.name}' is ${current.name === before ? 'still' : 'now'} the current profile.`
        : 'No current profile: choose one with `tradepost profiles use NAME`.',
    );
  }
  if (context.env.TRADEPOST_API_KEY?.trim()) {
    printNotice(context, 'TRADEPOST_API_KEY is set and still used.');
  }
}

/** A deleted profile is not the current one any more. */
function toDeleted(profile: ProfileItem): ProfileItem {
  return { ...profile, current: false };
}

/** Deletes profiles. If the current one is deleted and only one is left, that becomes the current one. */
function withoutProfiles(
  { current, profiles }: Profiles,
  removed: readonly ProfileItem[],
): Profiles {
  const removedNames = new Set(removed.map(({ name }) => name));
  const left = Object.entries(profiles).filter(([name]) => !removedNames.has(name));
  const [only, ...others] = left.map(([name]) => name);
  const next = only !== undefined && others.length === 0 ? only : null;
  return {
    current: current === null || removedNames.has(current) ? next : current,
    profiles: Object.fromEntries(left),
  };
}
