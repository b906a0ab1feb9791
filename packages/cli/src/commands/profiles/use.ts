import type { Command } from 'commander';
import { type Login, loginShape, loginsOf, loginView } from '../../account/login-view';
import { knowsValues } from '../../completion/knows-values';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { chooseFormat } from '../../output/choose-format';
import { note } from '../../output/note';
import { showChange } from '../../output/show-change';
import { changeProfiles } from '../../settings/change-profiles';
import { loginNames } from '../../settings/login-names';
import { noSuchLogin } from '../../settings/settings';
import type { Terminal } from '../../terminal';

/** `tradepost profiles use <name>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(
      command.createArgument('<name>', 'the name of a login').argParser(
        knowsValues(
          (text: string) => text,
          () => loginNames(terminal.env),
        ),
      ),
    )
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost profiles use staging'],
        Output: [`json: the login that is now used, ${loginShape}`],
        Notes: [
          '`--profile NAME` and TRADEPOST_PROFILE name another for one command or one shell.',
        ],
      }),
    )
    .action((name: string) => use(name, command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function use(name: string, options: GlobalOptions, terminal: Terminal): Promise<void> {
  const format = await chooseFormat<Login>(options, loginView, terminal.stdout);
  const changed = await changeProfiles(terminal, ({ profiles }) => {
    if (!Object.hasOwn(profiles, name)) throw noSuchLogin(name);
    return { profiles, current: name };
  });
  const used = loginsOf(changed).filter((login) => login.name === name);
  const what = `'${name}' is the current login`;
  for (const login of used) {
    const text = () => format.one(login);
    await showChange({ what, look: 'tradepost profiles list', text }, terminal);
  }
  const named = terminal.env.TRADEPOST_PROFILE?.trim();
  if (named && named !== name) {
    note(
      terminal,
      `TRADEPOST_PROFILE is set and goes before it: '${named}' is used until it is unset.`,
    );
  }
}
