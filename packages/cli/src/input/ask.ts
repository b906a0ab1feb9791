import { Writable } from 'node:stream';
import { CliError } from '../cli-error';
import type { InputStream, OutputStream, Terminal } from '../terminal';
import type { Keyboard } from './keyboard';

/** What every prompt takes, beside its question. */
interface PromptOptions {
  input: InputStream;
  output: OutputStream;
  signal: AbortSignal;
  withGuide: false;
}

/**
 * Asks the person at the keyboard something, on stderr. The keyboard stays open for the next question.
 *
 * @param prompt shows one prompt; a symbol instead of an answer says that it was cancelled
 * @throws {CliError} `interrupted` after Ctrl-C or Ctrl-D, and when the keyboard goes away.
 */
export async function ask<Answer>(
  { stream }: Keyboard,
  terminal: Terminal,
  prompt: (options: PromptOptions) => Promise<Answer>,
): Promise<Exclude<Answer, symbol>> {
  // Its own: a prompt goes on listening to its signal after the answer.
  const stop = new AbortController();
  const cancel = () => stop.abort();
  // Without an end the prompt would wait for keys that cannot come, and the process end unheard.
  const cancelAtEnd = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
    if (key?.ctrl === true && key.name === 'd') cancel();
  };
  const ends = ['end', 'close', 'error'] as const;
  for (const end of ends) stream.on(end, cancel);
  stream.on('keypress', cancelAtEnd);
  terminal.signal.addEventListener('abort', cancel);
  if (terminal.signal.aborted || stream.readableEnded || stream.destroyed) cancel();
  try {
    const answer = await prompt({
      input: stream,
      output: wideEnough(terminal.stderr),
      signal: stop.signal,
      withGuide: false,
    });
    if (typeof answer === 'symbol') {
      throw new CliError('interrupted', 'interrupted: nothing was done');
    }
    return answer as Exclude<Answer, symbol>;
  } finally {
    for (const end of ends) stream.off(end, cancel);
    stream.off('keypress', cancelAtEnd);
    terminal.signal.removeEventListener('abort', cancel);
  }
}

/** Some terminals say that they are 0 cells wide: they do not know, and a prompt would be a column. */
function wideEnough(stderr: OutputStream): OutputStream {
  if (stderr.columns !== 0) return stderr;
  const output = new Writable({
    decodeStrings: false,
    write: (text, encoding, done) => stderr.write(text, encoding, done),
  });
  return Object.assign(output, { isTTY: true, columns: 80 });
}
