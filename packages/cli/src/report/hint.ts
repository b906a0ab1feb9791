import type { CommandHint, Hint } from '../errors/cli-error';
import type { ConnectionOptions } from '../input/options';
import { escapeControlChars } from '../output/text';

export type ConnectionFlags = Pick<ConnectionOptions, 'profile' | 'baseUrl'>;

/**
 * Quotes a text as one word of a POSIX shell. One with control characters is shown as it is: it is not to be copied.
 */
export function quoteWord(text: string): string {
  if (/^[\w./:@-]+$/.test(text) || escapeControlChars(text) !== text) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Renders a command for the same service and account as the current one. */
export function formatCommand(
  { command, args = [], local }: Omit<CommandHint, 'text'>,
  flags: ConnectionFlags = {},
): string {
  const words = ['tradepost', command, ...args];
  const added = { '--profile': flags.profile, '--base-url': flags.baseUrl };
  if (!local) {
    for (const [name, value] of Object.entries(added)) {
      if (value !== undefined) words.push(name, quoteWord(value));
    }
  }
  return words.join(' ');
}

/**
 * Renders hints as one text.
 *
 * @param flags the connection flags of this command, which the commands in the hints need too
 * @returns null without hints
 */
export function formatHints(hints: readonly Hint[], flags: ConnectionFlags = {}): string | null {
  if (hints.length === 0) return null;
  return hints
    .map((hint) =>
      typeof hint === 'string' ? hint : `${hint.text} \`${formatCommand(hint, flags)}\`.`,
    )
    .join(' ');
}

/** Replaces an argument of the commands in hints, such as a placeholder by an ID. */
export function replaceArg(hints: readonly Hint[], from: string, to: string): Hint[] {
  return hints.map((hint) =>
    typeof hint === 'string' || hint.args === undefined
      ? hint
      : { ...hint, args: hint.args.map((arg) => (arg === from ? to : arg)) },
  );
}
