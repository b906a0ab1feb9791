import { closeSync, constants, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { cleanEnvironment } from './clean-environment';
import { tradepostBin, tradepostEnvironment, tradepostFunction } from './programs';

/** A `tradepost` process whose stdin, stdout and stderr are one terminal. */
export interface TerminalSession {
  /** All output so far, including colours and cursor movements. */
  raw(): string;
  /** Types keys. `\r` is Enter, `\u0003` is Ctrl-C. */
  type(keys: string): void;
  /** Waits until the output, without colours and cursor movements, matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has exited: the exit code and all output. */
  exit: Promise<{ code: number; raw: string; text: string }>;
}

/** Options of a terminal session. */
interface SessionOptions {
  env?: Record<string, string>;
  /** The width of the terminal, in cells. Defaults to 100. */
  columns?: number;
  /** The height of the terminal, in lines. Defaults to 40. */
  rows?: number;
  /** A shell command to run instead. `tradepost` in it is the CLI of this checkout. */
  shell?: string;
  /** The folder to run it in. */
  cwd?: string;
}

/** Starts `tradepost` on a pseudo-terminal. If it still runs when the test ends, it is killed. */
export function startOnTerminal(
  args: readonly string[],
  { env = {}, columns = 100, rows = 40, shell, cwd }: SessionOptions = {},
): TerminalSession {
  const [file, argv] =
    shell === undefined
      ? [process.execPath, [tradepostBin, ...args]]
      : ['/bin/sh', ['-c', `${tradepostFunction}${shell}`]];
  const child = spawn(file, argv, {
    cols: columns,
    rows,
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      // A test that shows a pager names it.
      ...cleanEnvironment({
        ...tradepostEnvironment,
        TERM: 'xterm-256color',
        TRADEPOST_PAGER: '',
        ...env,
      }),
    },
  });
  readAllOutput(child);
  let raw = '';
  let hasExited = false;
  const watchers = new Set<() => void>();
  child.onData((text) => {
    raw += text;
    for (const check of watchers) check();
  });
  const exit = new Promise<{ code: number; raw: string; text: string }>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      hasExited = true;
      for (const check of watchers) check();
      // As a shell reports it: Ctrl-C ends the shell too in which a command runs.
      resolve({ code: signal === 0 ? exitCode : 128 + signal, raw, text: toPlainText(raw) });
    });
  });
  onTestFinished(() => {
    if (!hasExited) child.kill('SIGKILL');
  });
  return {
    raw: () => raw,
    type: (keys) => child.write(keys),
    exit,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(toPlainText(raw));
          if (match === null && !hasExited) return;
          watchers.delete(check);
          if (match !== null) resolve(match);
          else reject(new Error(`It exited without showing ${pattern}:\n${toPlainText(raw)}`));
        };
        watchers.add(check);
        check();
      }),
  };
}

/**
 * Reads all output before the terminal is closed. If this process is too busy to read it before the other
 * end of the terminal is closed, all after the first 4 KiB would be lost. So the other end is held open
 * here. node-pty then closes its own end 200 ms after the exit, also if output is left.
 */
function readAllOutput(child: IPty): void {
  const { _socket: socket, _pty: path } = child as unknown as { _socket: Socket; _pty: string };
  const otherEnd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const destroy = socket.destroy.bind(socket);
  socket.on('close', () => closeSync(otherEnd));
  socket.destroy = () => {
    let hasRead = true;
    socket.on('data', () => {
      hasRead = true;
    });
    // What has arrived is read before the next turn of the event loop ends.
    const destroyWhenRead = () => {
      if (!hasRead) {
        destroy();
        return;
      }
      hasRead = false;
      setImmediate(() => setImmediate(destroyWhenRead));
    };
    destroyWhenRead();
    return socket;
  };
}

/** Removes colours and cursor movements, and restores line endings. */
function toPlainText(raw: string): string {
  return stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
}
