import { openSync } from 'node:fs';
import process from 'node:process';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import type { CliContext, InputStream, OutputStream } from '../context';
import { CliError } from '../errors/cli-error';
import { escapeControlChars } from '../output/text';

export interface Keyboard {
  stream: InputStream;
  /** Releases it: the process does not exit while it is open. */
  close: () => void;
}

/**
 * Opens the keyboard of the user who reads stderr: stdin, or the terminal itself where stdin is a pipe.
 *
 * @returns null without a user: in a script, in CI
 */
export function openKeyboard(context: CliContext): Keyboard | null {
  if (context.stderr.isTTY !== true) return null;
  const stdin = context.stdin();
  if (stdin.isTTY === true) return { stream: stdin, close: () => stdin.pause() };
  try {
    const device = process.platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty';
    const stream = new ReadStream(openSync(device, 'r+'));
    return { stream, close: () => stream.destroy() };
  } catch {
    return null;
  }
}

/**
 * Asks for confirmation on stderr.
 *
 * @param options.yes whether `--yes` was given
 * @param options.canDryRun whether the command has `--dry-run`
 * @throws {CliError} `declined` after a no, `interrupted` after Ctrl-C, `usage` without a user
 */
export async function confirm(
  question: string,
  context: CliContext,
  { yes, canDryRun = false }: { yes?: true; canDryRun?: boolean },
): Promise<void> {
  if (yes) return;
  const keyboard = openKeyboard(context);
  if (keyboard === null) {
    throw new CliError(
      'usage',
      `Confirmation needed: ${question}`,
      `Nothing changed. Pass --yes${canDryRun ? ' (try --dry-run first)' : ''}.`,
    );
  }
  const prompts = await import('../lazy/prompts');
  const message = prompts.wrapQuestion(escapeControlChars(question), context.stderr);
  try {
    const isConfirmed = await prompt(keyboard, context, (options) =>
      prompts.confirm({ message, initialValue: false, ...options }),
    );
    if (!isConfirmed) throw new CliError('declined', 'Cancelled. Nothing changed.');
  } finally {
    keyboard.close();
  }
}

interface PromptOptions {
  input: InputStream;
  output: OutputStream;
  signal: AbortSignal;
  withGuide: false;
}

/**
 * Shows a prompt on stderr. The keyboard stays open for the next one.
 *
 * @param show shows the prompt; it returns a symbol if it was cancelled
 * @throws {CliError} `interrupted` after Ctrl-C or Ctrl-D, or if the keyboard is closed
 */
export async function prompt<Value>(
  { stream }: Keyboard,
  context: CliContext,
  show: (options: PromptOptions) => Promise<Value>,
): Promise<Exclude<Value, symbol>> {
  // A separate signal: a prompt keeps listening to its signal after the user has responded.
  const stop = new AbortController();
  const cancel = () => stop.abort();
  // Without this the prompt would wait for keys that cannot come.
  const cancelAtEnd = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
    if (key?.ctrl === true && key.name === 'd') cancel();
  };
  const ends = ['end', 'close', 'error'] as const;
  for (const end of ends) stream.on(end, cancel);
  stream.on('keypress', cancelAtEnd);
  context.signal.addEventListener('abort', cancel);
  if (context.signal.aborted || stream.readableEnded || stream.destroyed) cancel();
  try {
    const value = await show({
      input: stream,
      output: withMinimumWidth(context.stderr),
      signal: stop.signal,
      withGuide: false,
    });
    if (typeof value === 'symbol') {
      throw new CliError('interrupted', 'Interrupted. Nothing changed.');
    }
    return value as Exclude<Value, symbol>;
  } finally {
    for (const end of ends) stream.off(end, cancel);
    stream.off('keypress', cancelAtEnd);
    context.signal.removeEventListener('abort', cancel);
  }
}

/** Some terminals report 0 columns when they do not know their width: a prompt would be one column wide. */
function withMinimumWidth(stderr: OutputStream): OutputStream {
  if (stderr.columns !== 0) return stderr;
  const output = new Writable({
    decodeStrings: false,
    write: (text, encoding, done) => stderr.write(text, encoding, done),
  });
  return Object.assign(output, { isTTY: true, columns: 80 });
}
