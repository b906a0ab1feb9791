import { CliError } from '../cli-error';
import { messageOf } from '../message-of';
import type { Terminal } from '../terminal';

/**
 * Reads stdin to its end.
 *
 * @param whatFor what is read, in the plural: `the ids`
 * @throws {CliError} `usage` when a person sits at it, who knows of nothing to type, `interrupted`
 * after Ctrl-C, and `input_failed` when it cannot be read.
 */
export async function readInput(terminal: Terminal, whatFor: string): Promise<Buffer> {
  const stdin = terminal.stdin();
  if (stdin.isTTY === true) {
    throw new CliError(
      'usage',
      `stdin is the keyboard: ${whatFor} come from a file or another command`,
      'For example: `tradepost … < FILE`, or `other-command | tradepost …`.',
    );
  }
  const stop = () => stdin.destroy(new CliError('interrupted', 'interrupted: nothing was done'));
  terminal.signal.addEventListener('abort', stop);
  if (terminal.signal.aborted) stop();
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = messageOf(error);
    throw new CliError('input_failed', `stdin cannot be read: ${reason}`);
  } finally {
    terminal.signal.removeEventListener('abort', stop);
  }
}
