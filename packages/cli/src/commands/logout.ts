import type { Command } from 'commander';
import { type Login, loginShape, loginsOf, loginView } from '../account/login-view';
import { CliError } from '../cli-error';
import type { GlobalOptions } from '../global-options';
import { sections } from '../help/sections';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { showChange } from '../output/show-change';
import { changeProfiles } from '../settings/change-profiles';
import { type Profiles, usualProfile } from '../settings/profiles';
import { namedProfile, noSuchLogin } from '../settings/settings';
import type { Terminal } from '../terminal';

interface Options extends GlobalOptions {
  all?: true;
}

/** `tradepost logout`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .option('--all', 'remove every login')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost logout',
          '$ tradepost logout --profile staging',
          '$ tradepost logout --all',
        ],
        Output: [`json: an array of the logins that were removed, ${loginShape}`],
        Notes: [
          'It removes the current login unless --profile or TRADEPOST_PROFILE names another.',
          'Without a login there is nothing to remove: exit code 2. With --all that is no failure.',
          'The key is removed from this machine, and the service still takes it: revoke it there.',
        ],
      }),
    )
    .action(() => logout(command.optsWithGlobals<Options>(), terminal));
}

async function logout(options: Options, terminal: Terminal): Promise<void> {
  if (options.all && options.profile !== undefined) {
    throw new CliError(
      'usage',
      '--all and --profile say different things',
      'Leave one of them out.',
    );
  }
  const format = await chooseFormat<Login>(options, loginView, terminal.stdout);
  let removed: Login[] = [];
  const left = await changeProfiles(terminal, (stored) => {
    const name = namedProfile(terminal, options);
    removed = removedOf(stored, options.all ? null : (name ?? stored.current ?? usualProfile));
    if (removed.length === 0 && !options.all)
      throw name === null ? notLoggedIn() : noSuchLogin(name);
    return without(stored, removed);
  });
  const names = removed.map(({ name }) => `'${name}'`).join(', ') || 'no login';
  await showChange(
    {
      what: `removed: ${names}`,
      look: 'tradepost profiles list',
      text: async () => (await format.part(removed)) + (await format.end()),
    },
    terminal,
  );
  if (removed.length === 0) note(terminal, 'There was no login to remove.');
  for (const { name, baseUrl } of removed) {
    note(terminal, `The login '${name}' to ${baseUrl} is removed. Its key still works there.`);
  }
  const others = loginsOf(left);
  if (others.length > 0) {
    const now = others.find((login) => login.current);
    note(
      terminal,
      now
        ? `'${now.name}' is the current login.`
        : 'No login is the current one now: choose one with `tradepost profiles use NAME`.',
    );
  }
  if (terminal.env.TRADEPOST_API_KEY?.trim()) {
    note(terminal, 'TRADEPOST_API_KEY is set, and is used all the same.');
  }
}

/** @param name null for all of them */
function removedOf(stored: Profiles, name: string | null): Login[] {
  return loginsOf(stored).filter((login) => name === null || login.name === name);
}

/** The logins without some. When the current one goes, the only one that is left takes its place. */
function without({ current, profiles }: Profiles, removed: readonly Login[]): Profiles {
  const gone = new Set(removed.map(({ name }) => name));
  const left = Object.entries(profiles).filter(([name]) => !gone.has(name));
  const [only, ...others] = left.map(([name]) => name);
  const next = only !== undefined && others.length === 0 ? only : null;
  return {
    current: current === null || gone.has(current) ? next : current,
    profiles: Object.fromEntries(left),
  };
}

function notLoggedIn(): CliError {
  return new CliError(
    'usage',
    'not logged in: there is no current login to remove',
    '`tradepost profiles list` shows the logins there are; --profile names one of them.',
  );
}
