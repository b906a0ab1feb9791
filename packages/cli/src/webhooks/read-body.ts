import { readFileSync } from 'node:fs';
import { CliError } from '../cli-error';
import { readInput } from '../input/read-input';
import { messageOf } from '../message-of';
import type { Terminal } from '../terminal';

/**
 * Reads the raw body of a delivery, byte for byte: from a file, or else from stdin.
 *
 * @throws {CliError} `input_failed` when the file cannot be read, and what `readInput` throws.
 */
export async function readBody(file: string | undefined, terminal: Terminal): Promise<Buffer> {
  if (file === undefined) return await readInput(terminal, 'the bytes of a body');
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CliError(
      'input_failed',
      `the body cannot be read: ${messageOf(error)}`,
      'Name a file that has the bytes of the body as they arrived.',
    );
  }
}
