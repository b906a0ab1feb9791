import { CliError } from '../cli-error';
import type { Terminal } from '../terminal';
import { ask } from './ask';
import { findKeyboard } from './keyboard';

/**
 * Asks the person at the keyboard whether to go on, on stderr. Nobody is never taken for a yes.
 *
 * @param options.yes whether the answer was given beforehand, by `--yes`
 * @param options.canDryRun whether the command has `--dry-run`
 * @throws {CliError} `not_confirmed` after a no, `interrupted` after Ctrl-C, and `usage` where nobody
 * can be asked.
 */
export async function confirm(
  question: string,
  terminal: Terminal,
  { yes, canDryRun = false }: { yes?: true; canDryRun?: boolean },
): Promise<void> {
  if (yes) return;
  const keyboard = findKeyboard(terminal);
  if (keyboard === null) {
    throw new CliError(
      'usage',
      `nobody can be asked here: ${question}`,
      `Nothing was done. ${canDryRun ? 'Look at it with --dry-run' : 'Make sure that it is meant'}, then pass --yes.`,
    );
  }
  const prompts = await import('../apart/prompts');
  try {
    const isConfirmed = await ask(keyboard, terminal, (options) =>
      prompts.confirm({ message: question, initialValue: false, ...options }),
    );
    if (!isConfirmed) throw new CliError('not_confirmed', 'not confirmed: nothing was done');
  } finally {
    keyboard.close();
  }
}
