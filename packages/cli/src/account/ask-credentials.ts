import { CliError } from '../cli-error';
import { ask } from '../input/ask';
import { findKeyboard, type Keyboard } from '../input/keyboard';
import { readInput } from '../input/read-input';
import { baseUrlFault } from '../settings/base-url';
import { canBeKey } from '../settings/settings';
import type { Terminal } from '../terminal';

/** What a login is made of. */
export interface Credentials {
  /** Where the service is. */
  baseUrl: string;
  /** The key to ask with. */
  apiKey: string;
}

const stdinHint =
  'Pass the key on stdin: `tradepost login --key-stdin --base-url URL < FILE`. A script needs no login: TRADEPOST_BASE_URL and TRADEPOST_API_KEY are enough.';

/**
 * Asks the person at the keyboard for what is not known yet. The key is not shown while it is typed.
 *
 * @param known the base URL, when it is known
 * @param suggested a base URL to begin with, when it is not
 * @param warn hears of the base URL before the key is asked for
 * @throws {CliError} `usage` where nobody can be asked, `interrupted` after Ctrl-C.
 */
export async function askCredentials(
  known: string | null,
  suggested: string | null,
  terminal: Terminal,
  warn: (baseUrl: string) => void,
): Promise<Credentials> {
  const keyboard = findKeyboard(terminal);
  if (keyboard === null) {
    throw new CliError('usage', 'nobody can be asked for the API key here', stdinHint);
  }
  try {
    const baseUrl = known ?? (await askBaseUrl(keyboard, suggested, terminal));
    warn(baseUrl);
    return { baseUrl, apiKey: await askKey(keyboard, terminal) };
  } finally {
    keyboard.close();
  }
}

async function askBaseUrl(
  keyboard: Keyboard,
  suggested: string | null,
  terminal: Terminal,
): Promise<string> {
  const { text } = await import('../apart/prompts');
  const answer = await ask(keyboard, terminal, (options) =>
    text({
      message: 'Base URL of the service',
      placeholder: 'https://trade.example',
      ...(suggested === null ? {} : { initialValue: suggested }),
      validate: (typed) => baseUrlFault(typed?.trim() ?? '') ?? undefined,
      ...options,
    }),
  );
  return answer.trim();
}

async function askKey(keyboard: Keyboard, terminal: Terminal): Promise<string> {
  const { password } = await import('../apart/prompts');
  const answer = await ask(keyboard, terminal, (options) =>
    password({
      message: 'API key (it is not shown)',
      validate: (typed) =>
        canBeKey(typed?.trim() ?? '') ? undefined : 'A key has letters, digits and no spaces.',
      ...options,
    }),
  );
  return answer.trim();
}

/**
 * Reads the key from stdin, for where nobody can be asked.
 *
 * @param baseUrl null when it is not known
 * @throws {CliError} `usage` without a base URL or with a keyboard as stdin, `missing_api_key` and
 * `invalid_api_key` for what is no key, `interrupted` after Ctrl-C.
 */
export async function readCredentials(
  baseUrl: string | null,
  terminal: Terminal,
): Promise<Credentials> {
  if (baseUrl === null) {
    throw new CliError(
      'usage',
      'no base URL is set: it tells where the service is',
      'Pass --base-url beside --key-stdin, or set TRADEPOST_BASE_URL.',
    );
  }
  const apiKey = (await readInput(terminal, 'keys that --key-stdin reads')).toString().trim();
  if (apiKey === '') {
    throw new CliError('missing_api_key', 'stdin has no API key', stdinHint);
  }
  if (!canBeKey(apiKey)) {
    throw new CliError(
      'invalid_api_key',
      'stdin holds a character that no key has',
      'It must bring the key alone, without spaces, quotes or a second line.',
    );
  }
  return { baseUrl, apiKey };
}
