import { CliError } from '../cli-error';
import { messageOf } from '../message-of';
import type { Terminal } from '../terminal';
import { isReaderGone } from './is-reader-gone';
import { note } from './note';
import { writeData } from './write';

/** A change that is made. */
export interface Change {
  /** What was done, as the beginning of a sentence: `whk_1 is paused`. */
  what: string;
  /** The command that shows it: `tradepost webhooks get whk_1`; null where there is none. */
  look: string | null;
  /** What is printed of it. It is called once, and may throw. */
  text: () => string | Promise<string>;
}

/**
 * Prints a change that is made. Where that fails the error says that it is made: whoever reads of a
 * failure alone would make it again. A reader who has gone is no failure: it is told on stderr then.
 *
 * @throws {CliError} `output_failed`
 */
export async function showChange({ what, look, text }: Change, terminal: Terminal): Promise<void> {
  try {
    await writeData(terminal.stdout, await text());
  } catch (error) {
    if (isReaderGone(error)) {
      note(terminal, `${what[0]?.toUpperCase()}${what.slice(1)}.`);
      return;
    }
    throw new CliError(
      error instanceof CliError ? error.code : 'output_failed',
      `${what}, but it could not be printed: ${messageOf(error)}`,
      `Do not repeat it${look === null ? '' : `: \`${look}\` shows it`}.`,
    );
  }
}
