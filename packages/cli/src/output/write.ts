import { CliError } from '../cli-error';
import type { OutputStream } from '../terminal';

function failureOf(error: Error & { code?: string }): CliError {
  if (error.code === 'EPIPE') return new CliError('output_closed', 'the reader of stdout has gone');
  return new CliError(
    'output_failed',
    `the data could not be written to stdout: ${error.message}`,
    'What was written before is not complete: do not use it.',
  );
}

/**
 * Writes data and waits until the stream has taken it, so that memory stays flat however slow the
 * reader is.
 *
 * @param data text, or a promise of it
 * @throws {CliError} `output_closed` when nobody reads any more, `output_failed` otherwise.
 */
export async function writeData(
  stream: OutputStream,
  data: string | Promise<string>,
): Promise<void> {
  const text = await data;
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(failureOf(error)) : resolve()));
  });
}
