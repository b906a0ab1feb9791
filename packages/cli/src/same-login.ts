import type { ConnectionOptions } from './global-options';
import { harmless } from './output/harmless';
import { shellWord } from './output/shell-word';

/** What says on a command line which service is asked, and as whom. */
export type Login = Pick<ConnectionOptions, 'profile' | 'baseUrl'>;

/** A whole command within a text that asks the service, or stores a login. */
const askingCommand =
  /`(tradepost (?:orders|notifications|webhooks|events|whoami|doctor|login)\b[^`]*)`/g;

/** The options by which another command asks the same service as the same account; empty where none were given. */
export function loginWords({ profile, baseUrl }: Login): string[] {
  const options = Object.entries({ '--profile': profile, '--base-url': baseUrl });
  return options.flatMap(([name, value]) => (value === undefined ? [] : [name, wordOf(value)]));
}

/** Writes a text as one word of a command that is shown. */
export function wordOf(text: string): string {
  return harmless(text) === text ? shellWord(text) : text;
}

/**
 * Completes the commands that a text advises: without the options that this one was given they would
 * ask as somebody else, on another's orders.
 *
 * @param text a hint, with commands between backticks
 */
export function asSameLogin(text: string, login: Login): string {
  const words = loginWords(login);
  if (words.length === 0) return text;
  return text.replace(askingCommand, (span, command: string) => {
    const isComplete = /--(profile|base-url|help)\b/.test(command);
    return isComplete ? span : `\`${[command, ...words].join(' ')}\``;
  });
}
