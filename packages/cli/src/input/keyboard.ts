import { openSync } from 'node:fs';
import process from 'node:process';
import { ReadStream } from 'node:tty';
import type { InputStream, Terminal } from '../terminal';

/** What a person types on, and what has to be done once it is no longer needed. */
export interface Keyboard {
  /** A terminal: what is typed comes key by key. */
  stream: InputStream;
  /** Lets go of it: a process that holds on to its keyboard does not end. */
  close: () => void;
}

/**
 * Finds the keyboard of the person who reads stderr: stdin, or the terminal itself where stdin brings
 * data. Null where nobody can be asked: in a script, in CI.
 */
export function findKeyboard(terminal: Terminal): Keyboard | null {
  if (terminal.stderr.isTTY !== true) return null;
  const stdin = terminal.stdin();
  if (stdin.isTTY === true) return { stream: stdin, close: () => stdin.pause() };
  try {
    const device = process.platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty';
    const stream = new ReadStream(openSync(device, 'r+'));
    return { stream, close: () => stream.destroy() };
  } catch {
    return null;
  }
}
