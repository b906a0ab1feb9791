import process from 'node:process';
import { engines, version } from '../../../package.json';
import {
  configFolder,
  isReadableByOthers,
  profilesFile,
  readProfiles,
} from '../../config/profiles';
import {
  describeProxy,
  findProxy,
  findSettings,
  getKeyPrefix,
  isBaseUrl,
  isUnencrypted,
  isValidKey,
  resolveSettings,
} from '../../config/settings';
import type { CliContext } from '../../context';
import { CliError, type Hint } from '../../errors/cli-error';
import { type ExitReason, getExitReason } from '../../errors/exit-codes';
import type { ConnectionOptions } from '../../input/options';
import { getRequestErrorMessage } from '../../report/error-report';

export interface Finding {
  /** The name of the check. It never changes. */
  check: string;
  /** Whether it passed; null if that is unknown, or it was skipped. */
  ok: boolean | null;
  detail: string;
  /** What to do. On a passed check it is a warning. */
  hints: readonly Hint[];
  /** What its failure means for the exit code; null if it did not fail. */
  reason: ExitReason | null;
}

/** Creates the result of a passed check. Hints make it a warning. */
export function passed(check: string, detail: string, ...hints: Hint[]): Finding {
  return { check, ok: true, detail, hints, reason: null };
}

export function failed(
  check: string,
  reason: ExitReason,
  detail: string,
  ...hints: readonly Hint[]
): Finding {
  return { check, ok: false, detail, hints, reason };
}

export function skipped(check: string, detail: string): Finding {
  return { check, ok: null, detail, hints: [], reason: null };
}

function failedWith(check: string, error: unknown): Finding {
  const hints = error instanceof CliError ? error.hints : [];
  return failed(check, getExitReason(error), getRequestErrorMessage(error), ...hints);
}

export function checkMachine(context: CliContext, node = process.versions.node): Finding[] {
  return [passed('cli', `tradepost ${version}`), checkNode(node), checkProfiles(context)];
}

function checkNode(node: string): Finding {
  const required = engines.node.replace(/^>=/, '');
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = required.split('.').map(Number);
  const isSupported = major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
  return isSupported
    ? passed('node', `Node ${node}, supported`)
    : failed('node', 'error', `Node ${node}, not supported`, `Install Node ${required} or later.`);
}

function checkProfiles({ env }: CliContext): Finding {
  try {
    const file = profilesFile(configFolder(env));
    const count = Object.keys(readProfiles(file).profiles).length;
    if (count === 0) return passed('profiles', `none in ${file}`);
    const detail = `${count} in ${file}`;
    if (!isReadableByOthers(file)) return passed('profiles', detail);
    return failed(
      'profiles',
      'error',
      `${detail}: other users can read the keys`,
      `Run \`chmod 600 '${file}'\`, and replace the keys if others may have read them.`,
    );
  } catch (error) {
    const hasNoHome = error instanceof CliError && error.code === 'file_unusable';
    // Settings of the environment need none, for example in a container.
    if (hasNoHome) return passed('profiles', `none: ${error.message}`, ...error.hints);
    return failedWith('profiles', error);
  }
}

/** Checks the settings. Returns those that are valid, null for the others. */
export function checkSettings(context: CliContext, options: ConnectionOptions) {
  try {
    const { baseUrl: url, apiKey: key } = findSettings(context, options);
    return {
      findings: [checkResolved(context, options), checkBaseUrl(url)],
      baseUrl: url !== null && isBaseUrl(url) ? url : null,
      apiKey: key !== null && isValidKey(key) ? key : null,
    };
  } catch (error) {
    const findings = [failedWith('settings', error), skipped('base-url', 'skipped')];
    return { findings, baseUrl: null, apiKey: null };
  }
}

function checkResolved(context: CliContext, options: ConnectionOptions): Finding {
  try {
    const settings = resolveSettings(context, options);
    const { baseUrl, baseUrlSource, apiKey, apiKeySource, profile } = settings;
    const parts = [
      // An invalid URL may be a key in the wrong place.
      `base URL ${isBaseUrl(baseUrl) ? baseUrl : '(not shown)'} (${baseUrlSource})`,
      `key ${getKeyPrefix(apiKey)} (${apiKeySource})`,
      ...(profile === null ? [] : [`profile '${profile}'`]),
    ];
    return passed('settings', parts.join(', '));
  } catch (error) {
    return failedWith('settings', error);
  }
}

function checkBaseUrl(baseUrl: string | null): Finding {
  if (baseUrl === null) return skipped('base-url', 'not set');
  if (!isBaseUrl(baseUrl)) {
    const hint = 'Enter a full URL, such as https://trade.example, without user name or query.';
    return failed('base-url', 'usage', 'the service URL is not valid', hint);
  }
  if (!isUnencrypted(baseUrl)) return passed('base-url', new URL(baseUrl).protocol.slice(0, -1));
  const detail = 'http: others on the network can read the key';
  return passed('base-url', detail, 'Use https:// if the service supports it.');
}

/** Checks the proxy for a service. */
export function checkProxy({ env }: CliContext, baseUrl: string | null): Finding {
  if (baseUrl === null) return skipped('proxy', 'skipped');
  try {
    const proxy = findProxy(env, baseUrl);
    return passed('proxy', proxy === null ? 'none' : describeProxy(proxy));
  } catch (error) {
    return failedWith('proxy', error);
  }
}
