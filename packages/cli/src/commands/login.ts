import { isTradepostError, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClientFor } from '../client/create-client';
import { fetchIdentity, identityView, toIdentity } from '../config/identity';
import {
  configFolder,
  defaultProfile,
  findStoredProfile,
  formatAccount,
  getCurrentName,
  type Profile,
  parseAccount,
  parseProfileName,
  profilesFile,
  readProfiles,
  updateProfiles,
} from '../config/profiles';
import {
  assertBaseUrl,
  displayUrl,
  isBaseUrl,
  isSameService,
  isUnencrypted,
  isValidKey,
  listProfilesHint,
  type Settings,
  selectedProfile,
} from '../config/settings';
import type { CliContext } from '../context';
import { CliError, type Hint } from '../errors/cli-error';
import { decodeText } from '../files/decode-text';
import { addHelp } from '../help/help';
import type { GlobalOptions } from '../input/options';
import { confirm, openKeyboard, prompt } from '../input/prompt';
import { readInput } from '../input/read-input';
import { chooseFormat, describeShape } from '../output/format';
import { printChange, printNotice } from '../output/print';
import { getRequestErrorMessage } from '../report/error-report';

interface Options extends GlobalOptions {
  keyStdin?: true;
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('--key-stdin', 'read the key from stdin instead of prompting for it')
    .action(() => login(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: identityView.fields,
    Examples: [
      '$ tradepost login',
      '$ tradepost login --profile staging --base-url https://staging.trade.example',
      '$ tradepost login --key-stdin --base-url https://trade.example < key.txt',
    ],
    Output: [`json: ${describeShape(identityView)}`],
    Notes: [
      'It verifies the key with the service. A rejected key is not saved.',
      `It saves a profile, named ${defaultProfile} unless --profile or TRADEPOST_PROFILE names it, which becomes the current one. Only you can read the file.`,
      'A profile of another account or service is replaced only after a confirmation; with --key-stdin a notice says what it was.',
      'TRADEPOST_API_KEY and TRADEPOST_BASE_URL take precedence over it, unless --profile names it.',
    ],
  });
}

type Credentials = Pick<Settings, 'baseUrl' | 'apiKey'>;

async function login(options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, identityView, context);
  const { env } = context;
  const name = parseProfileName(selectedProfile(context, options) ?? defaultProfile);
  const previous = findStoredProfile(readProfiles(profilesFile(configFolder(env))), name);
  const given = options.baseUrl?.trim() || env.TRADEPOST_BASE_URL?.trim() || null;
  if (given !== null) assertBaseUrl(given);
  const onBaseUrl = (baseUrl: string) => reportService(baseUrl, given !== null, context);
  const credentials = options.keyStdin
    ? await readCredentials(given, context)
    : await promptCredentials(given, previous?.baseUrl ?? null, context, onBaseUrl);
  const { baseUrl } = credentials;
  if (options.keyStdin) onBaseUrl(baseUrl);

  const tradepost = createClientFor(credentials, context, options);
  const account = await verifyKey(tradepost, baseUrl, context);
  const known = parseAccount(account);
  const profile = { ...credentials, ...(known && { account: known }) };
  if (previous !== null) await reportReplaced(name, previous, profile, options, context);
  let formerName = null as string | null;
  await updateProfiles(context, (stored) => {
    formerName = getCurrentName(stored);
    return { current: name, profiles: { ...stored.profiles, [name]: profile } };
  });

  printNotice(context, `Logged in to ${baseUrl}${known ? ` as ${formatAccount(known)}` : ''}.`);
  const former = formerName === null || formerName === name ? '' : ` (was '${formerName}')`;
  printNotice(context, `Saved as profile '${name}', now the current one${former}.`);
  for (const line of findOverrides(name, baseUrl, env)) printNotice(context, line);
  const source = { baseUrlSource: 'profile', apiKeySource: 'profile' } as const;
  const settings = { profile: name, ...credentials, ...source };
  await printChange(
    context,
    `profile '${name}' is saved`,
    () => format.formatItem(toIdentity(settings, account)),
    listProfilesHint,
  );
}

/**
 * Says which account a profile had, before it is replaced by another one. A person at a prompt has to
 * confirm it, since the key of the other account is lost.
 *
 * @throws {CliError} `declined`
 */
async function reportReplaced(
  name: string,
  previous: Profile,
  next: Profile,
  { keyStdin }: Options,
  context: CliContext,
): Promise<void> {
  const isSameUrl = isSameService(previous.baseUrl, next.baseUrl);
  const isSameAccount = previous.account?.id === next.account?.id;
  if (isSameUrl && (previous.apiKey === next.apiKey || (isSameAccount && next.account))) return;
  const describe = ({ account, baseUrl }: Profile) => `${formatAccount(account)} at ${baseUrl}`;
  // Where accounts are not known, a new key for the same service is the usual case.
  const isKnown = !isSameUrl || (previous.account !== undefined && next.account !== undefined);
  if (keyStdin || !isKnown) {
    return printNotice(context, `Replacing profile '${name}', which was ${describe(previous)}.`);
  }
  const question = `Replace profile '${name}', ${describe(previous)}, with ${describe(next)}?`;
  printNotice(context, `To keep both, use \`tradepost login --profile NAME\`.`);
  await confirm(question, context, {});
}

function reportService(baseUrl: string, isGiven: boolean, context: CliContext): void {
  if (isGiven) printNotice(context, `Service: ${baseUrl}`);
  if (isUnencrypted(baseUrl)) {
    printNotice(context, 'Warning: http is not encrypted. Others on the network can read the key.');
  }
}

async function verifyKey(tradepost: Tradepost, baseUrl: string, context: CliContext) {
  try {
    return await fetchIdentity(tradepost, { signal: context.signal });
  } catch (error) {
    if (!isTradepostError(error) || error.status !== 401) throw error;
    const request = error.requestId === null ? '' : ` (request ${error.requestId})`;
    throw new CliError(
      'invalid_api_key',
      `${baseUrl} rejected this API key${request}: ${error.problem?.detail ?? getRequestErrorMessage(error)}`,
      'Nothing was saved. The key may be mistyped, expired, revoked or for another service.',
      ...(error.problem === null ? ['Check the service URL too.'] : []),
    );
  }
}

function findOverrides(name: string, baseUrl: string, env: CliContext['env']): string[] {
  const lines: string[] = [];
  const named = env.TRADEPOST_PROFILE?.trim();
  const envUrl = env.TRADEPOST_BASE_URL?.trim();
  if (named && named !== name) {
    lines.push(`TRADEPOST_PROFILE is set: '${named}' is used until you unset it.`);
  }
  if (env.TRADEPOST_API_KEY?.trim()) {
    lines.push('TRADEPOST_API_KEY is set and takes precedence. Unset it to use this profile.');
  }
  if (envUrl && !isSameService(envUrl, baseUrl)) {
    lines.push(`TRADEPOST_BASE_URL is set to ${displayUrl(envUrl)}. Unset it to use this profile.`);
  }
  return lines;
}

const stdinHints: Hint[] = [
  'Pass the key on stdin: `tradepost login --key-stdin --base-url URL < FILE`.',
  'Scripts need no login: set TRADEPOST_BASE_URL and TRADEPOST_API_KEY.',
];

/** @param onBaseUrl called before the prompt for the key */
async function promptCredentials(
  known: string | null,
  suggested: string | null,
  context: CliContext,
  onBaseUrl: (baseUrl: string) => void,
): Promise<Credentials> {
  const keyboard = openKeyboard(context);
  if (keyboard === null) {
    throw new CliError('usage', 'Cannot prompt for the API key without a terminal', ...stdinHints);
  }
  try {
    const { password, text } = await import('../lazy/prompts');
    const promptUrl = () =>
      prompt(keyboard, context, (options) =>
        text({
          message: 'Service URL',
          placeholder: 'https://trade.example',
          ...(suggested === null ? {} : { initialValue: suggested }),
          validate: (typed) =>
            isBaseUrl(typed?.trim() ?? '')
              ? undefined
              : 'Enter a full URL, such as https://trade.example',
          ...options,
        }),
      );
    const baseUrl = known ?? (await promptUrl()).trim();
    onBaseUrl(baseUrl);
    const apiKey = await prompt(keyboard, context, (options) =>
      password({
        message: 'API key (hidden)',
        validate: (typed) =>
          isValidKey(typed?.trim() ?? '') ? undefined : 'Enter the key without spaces',
        ...options,
      }),
    );
    return { baseUrl, apiKey: apiKey.trim() };
  } finally {
    keyboard.close();
  }
}

async function readCredentials(baseUrl: string | null, context: CliContext): Promise<Credentials> {
  if (baseUrl === null) {
    throw new CliError(
      'usage',
      'Missing service URL',
      'Pass --base-url with --key-stdin, or set TRADEPOST_BASE_URL.',
    );
  }
  const apiKey = decodeText(await readInput(context, 'API keys'), 'Stdin').trim();
  if (apiKey === '') throw new CliError('missing_api_key', 'No API key on stdin', ...stdinHints);
  if (!isValidKey(apiKey)) {
    throw new CliError(
      'invalid_api_key',
      'The API key on stdin contains an invalid character',
      'Pass the key alone, without spaces, quotes or a second line.',
    );
  }
  return { baseUrl, apiKey };
}
