import { isTradepostError, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { askCredentials, readCredentials } from '../account/ask-credentials';
import { identify } from '../account/identify';
import { identityOf, identityShape, identityView } from '../account/identity';
import { CliError } from '../cli-error';
import { connectAs } from '../connect';
import type { GlobalOptions } from '../global-options';
import { sections } from '../help/sections';
import { messageOf } from '../message-of';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { showChange } from '../output/show-change';
import { checkBaseUrl, isOpenOnTheWay } from '../settings/base-url';
import { changeProfiles } from '../settings/change-profiles';
import { configFolder } from '../settings/folders';
import { checkProfileName } from '../settings/profile-name';
import { profilesFile, readProfiles, usualProfile } from '../settings/profiles';
import { isSameService, namedProfile, type Settings, shownUrl } from '../settings/settings';
import type { Terminal } from '../terminal';

interface Options extends GlobalOptions {
  keyStdin?: true;
}

/** `tradepost login`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .option('--key-stdin', 'read the key from stdin instead of asking for it')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost login',
          '$ tradepost login --profile staging --base-url https://staging.trade.example',
          '$ tradepost login --key-stdin --base-url https://trade.example < key.txt',
        ],
        Output: [`json: ${identityShape}`],
        Notes: [
          'The service is asked whether it takes the key. A key that it refuses is not stored.',
          `The login is named ${usualProfile} unless --profile or TRADEPOST_PROFILE names it, and becomes the current one. It is stored on this machine, in a file that nobody else may read.`,
          'TRADEPOST_API_KEY and TRADEPOST_BASE_URL go before it, except where --profile names it.',
        ],
      }),
    )
    .action(() => login(command.optsWithGlobals<Options>(), terminal));
}

async function login(options: Options, terminal: Terminal): Promise<void> {
  const format = await chooseFormat(options, identityView, terminal.stdout);
  const { env } = terminal;
  const name = checkProfileName(namedProfile(terminal, options) ?? usualProfile);
  const file = profilesFile(configFolder(env));
  const { profiles } = readProfiles(file);
  const before = Object.hasOwn(profiles, name) ? (profiles[name]?.baseUrl ?? null) : null;
  const given = options.baseUrl?.trim() || env.TRADEPOST_BASE_URL?.trim() || null;
  if (given !== null) checkBaseUrl(given);
  const tell = (baseUrl: string) => tellWhere(baseUrl, given !== null, terminal);
  const { baseUrl, apiKey } = options.keyStdin
    ? await readCredentials(given, terminal)
    : await askCredentials(given, before, terminal, tell);
  if (options.keyStdin) tell(baseUrl);

  const tradepost = connectAs({ baseUrl, apiKey }, terminal, options);
  const account = await identifyOrRefuse(tradepost, baseUrl, terminal);
  await changeProfiles(terminal, (stored) => ({
    current: name,
    profiles: { ...stored.profiles, [name]: { baseUrl, apiKey } },
  }));

  const who =
    account === null ? 'the service does not tell as whom' : `as ${account.name ?? account.id}`;
  note(terminal, `Logged in to ${baseUrl}: ${who}${account ? ` (${account.kind})` : ''}.`);
  note(terminal, `The login '${name}' is stored in ${file}.`);
  if (before !== null && !isSameService(before, baseUrl)) {
    note(terminal, `It stands instead of the login of that name to ${before}.`);
  }
  for (const line of whatGoesBefore(name, baseUrl, env)) note(terminal, line);
  // As it is found from now on, wherever it came from this time.
  const settings: Settings = {
    profile: name,
    baseUrl,
    baseUrlSource: 'profile',
    apiKey,
    apiKeySource: 'profile',
  };
  const what = `the login '${name}' is stored`;
  const text = () => format.one(identityOf(settings, account));
  await showChange({ what, look: 'tradepost profiles list', text }, terminal);
}

/** Tells which service gets the key, when nobody typed it just now, and whether others can read it. */
function tellWhere(baseUrl: string, isGiven: boolean, terminal: Terminal): void {
  if (isGiven) note(terminal, `Service: ${baseUrl}`);
  if (isOpenOnTheWay(baseUrl)) {
    note(terminal, 'Warning: it is http, not https: others on the way can read the key.');
  }
}

async function identifyOrRefuse(tradepost: Tradepost, baseUrl: string, terminal: Terminal) {
  try {
    return await identify(tradepost, { signal: terminal.signal });
  } catch (error) {
    if (!isTradepostError(error) || error.status !== 401) throw error;
    const asked = error.requestId === null ? '' : ` (request ${error.requestId})`;
    throw new CliError(
      'invalid_api_key',
      `${baseUrl} refuses the key${asked}: ${error.problem?.detail ?? messageOf(error)}`,
      'Nothing was stored. The key may be mistyped, expired or revoked, or belong to another service.',
    );
  }
}

/** What of the environment will be used instead of this login, line by line. */
function whatGoesBefore(name: string, baseUrl: string, env: Terminal['env']): string[] {
  const lines: string[] = [];
  const named = env.TRADEPOST_PROFILE?.trim();
  const envUrl = env.TRADEPOST_BASE_URL?.trim();
  if (named && named !== name) {
    lines.push(`TRADEPOST_PROFILE is set: '${named}' is used until it is unset.`);
  }
  if (env.TRADEPOST_API_KEY?.trim()) {
    lines.push('TRADEPOST_API_KEY is set and goes before this login: unset it to use the login.');
  }
  if (envUrl && !isSameService(envUrl, baseUrl)) {
    lines.push(`TRADEPOST_BASE_URL is set and leads elsewhere, to ${shownUrl(envUrl)}: unset it.`);
  }
  return lines;
}
