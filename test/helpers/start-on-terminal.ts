import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { cleanEnvironment } from './clean-environment';
import { tradepostBin } from './programs';
import { defineTradepost, tradepostPlaces } from './tradepost-shell';

/** A `tradepost` that a person looks at: stdin, stdout and stderr are one terminal. */
export interface TerminalSession {
  /** All that the screen got so far, colours and cursor movements included. */
  raw(): string;
  /** Types keys. `\r` is Enter, `\u0003` is Ctrl-C. */
  type(keys: string): void;
  /** Waits until the screen got a match, of what is no colour and no cursor movement. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Settles when it has ended: its exit code, and all that the screen got. */
  exit: Promise<{ code: number; raw: string; text: string }>;
}

/** What a session gets beside its command line. */
interface SessionOptions {
  env?: Record<string, string>;
  /** The width of the terminal, in cells; 100 unless told. */
  columns?: number;
  /** A shell command to run instead, in which `tradepost` is the command line's own. */
  shell?: string;
  /** The folder to run it in. */
  cwd?: string;
}

/** Starts `tradepost` on a pseudo-terminal. One that is still there when the test ends is killed. */
export function startOnTerminal(
  args: readonly string[],
  { env = {}, columns = 100, shell, cwd }: SessionOptions = {},
): TerminalSession {
  const [file, argv] =
    shell === undefined
      ? [process.execPath, [tradepostBin, ...args]]
      : ['/bin/sh', ['-c', `${defineTradepost}${shell}`]];
  const child = spawn(file, argv, {
    cols: columns,
    rows: 40,
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      ...cleanEnvironment({ ...tradepostPlaces, TERM: 'xterm-256color', ...env }),
    },
  });
  let raw = '';
  let isOver = false;
  const watchers = new Set<() => void>();
  child.onData((text) => {
    raw += text;
    for (const watch of watchers) watch();
  });
  const exit = new Promise<{ code: number; raw: string; text: string }>((resolve) => {
    child.onExit(({ exitCode }) => {
      isOver = true;
      for (const watch of watchers) watch();
      resolve({ code: exitCode, raw, text: plain(raw) });
    });
  });
  onTestFinished(() => {
    if (!isOver) child.kill('SIGKILL');
  });
  return {
    raw: () => raw,
    type: (keys) => child.write(keys),
    exit,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const match = pattern.exec(plain(raw));
          if (match === null && !isOver) return;
          watchers.delete(watch);
          if (match !== null) resolve(match);
          else reject(new Error(`It ended and never showed ${pattern}:\n${plain(raw)}`));
        };
        watchers.add(watch);
        watch();
      }),
  };
}

/** The text without colours and cursor movements, lines ended as a program ends them. */
function plain(raw: string): string {
  return stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
}
