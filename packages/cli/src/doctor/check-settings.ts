import { CliError } from '../cli-error';
import { exitReasonOf } from '../exit-codes';
import type { ConnectionOptions } from '../global-options';
import { messageOf } from '../message-of';
import { baseUrlFault, isOpenOnTheWay } from '../settings/base-url';
import { keyHint } from '../settings/key-hint';
import { canBeKey, type FoundSettings, findSettings, settingsOf } from '../settings/settings';
import type { Terminal } from '../terminal';
import { type Finding, failed, fine, untold } from './check';

/** What the checks of the settings found out. */
interface CheckedSettings {
  findings: Finding[];
  /** Where to ask; null when it is not known, or cannot be right. */
  baseUrl: string | null;
  /** The key to ask with; null when there is none that can be sent. */
  apiKey: string | null;
}

/** Checks which service is asked, and as whom. Nothing is sent. */
export function checkSettings(terminal: Terminal, options: ConnectionOptions): CheckedSettings {
  let found: FoundSettings;
  try {
    found = findSettings(terminal, options);
  } catch (error) {
    const findings = [failure('settings', error), untold('base-url', 'not checked')];
    return { findings, baseUrl: null, apiKey: null };
  }
  const baseUrl =
    found.baseUrl !== null && baseUrlFault(found.baseUrl) === null ? found.baseUrl : null;
  const apiKey = found.apiKey !== null && canBeKey(found.apiKey) ? found.apiKey : null;
  const findings = [checkFound(terminal, options, found), checkBaseUrl(found.baseUrl)];
  return { findings, baseUrl, apiKey };
}

function checkFound(
  terminal: Terminal,
  options: ConnectionOptions,
  { baseUrl, baseUrlSource, apiKey, apiKeySource, profile }: FoundSettings,
): Finding {
  try {
    settingsOf(terminal, options);
  } catch (error) {
    return failure('settings', error);
  }
  const parts = [
    // What cannot be a URL may be a key in the wrong place.
    `base URL ${baseUrlFault(baseUrl ?? '') === null ? baseUrl : '(not shown)'} (${baseUrlSource})`,
    `key ${keyHint(apiKey ?? '')} (${apiKeySource})`,
    ...(profile === null ? [] : [`login '${profile}'`]),
  ];
  return fine('settings', parts.join(', '));
}

function checkBaseUrl(baseUrl: string | null): Finding {
  if (baseUrl === null) return untold('base-url', 'not set');
  const fault = baseUrlFault(baseUrl);
  if (fault !== null) {
    return failed('base-url', 'usage', fault, 'It reads like https://trade.example.');
  }
  if (!isOpenOnTheWay(baseUrl)) return fine('base-url', new URL(baseUrl).protocol.slice(0, -1));
  return fine(
    'base-url',
    'http: others on the way can read the key',
    'Use https:// where the service has it.',
  );
}

function failure(check: string, error: unknown): Finding {
  const message = messageOf(error);
  const hint = error instanceof CliError ? error.hint : null;
  return failed(check, exitReasonOf(error), message, hint);
}
