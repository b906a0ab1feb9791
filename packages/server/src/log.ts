import { constants, fstatSync, openSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { LogDestination } from './log-destination';

/** How much is logged, from nothing to everything. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One level of logging. */
export type LogLevel = (typeof logLevels)[number];

/** Milliseconds that the end of a process or thread waits for a reader of its last lines. */
const exitTimeoutMs = 500;

/** Shared by all logs of this thread, so that their lines keep their order and one buffer holds them. */
let stderr: LogDestination | undefined;

/**
 * Creates a log of JSON lines on stderr. Keys and secrets are redacted. Logging never blocks, never throws and never
 * ends the process: lines that nobody reads are dropped in the end, and the log says how many.
 */
export function createLog(level: LogLevel): Logger {
  const hidden = ['authorization', 'apiKey', 'secret', 'signature'];
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    },
    // Opened by the first line: a silent log needs no file descriptor.
    {
      write(line) {
        stderr ??= openDestination();
        stderr.write(line);
      },
    },
  );
}

function openDestination(): LogDestination {
  const opened = new LogDestination({ fd: openStderr(), formatDropNotice });
  // Emitted at a normal end, by `process.exit` and after an uncaught exception, in worker threads too.
  process.on('exit', () => opened.flushAtExit(exitTimeoutMs));
  return opened;
}

/** Returns a file descriptor for stderr that a write does not block on, wherever the system offers one. */
function openStderr(): number {
  // Node makes pipes and sockets non-blocking when it opens the stream. A worker thread's stream has no descriptor.
  const fd = process.stderr.fd ?? 2;
  if (process.platform !== 'linux') return fd;
  // Non-blocking is a property of the open file, and other processes that inherited it can undo it; a terminal stays
  // blocking. An open file of our own has neither problem. A regular file has to share its position with stdout, and a
  // socket cannot be opened again.
  try {
    const file = fstatSync(fd);
    if (file.isFile() || file.isSocket()) return fd;
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Without /proc, or where stderr belongs to another user.
    return fd;
  }
}

/** Formats like pino does: it must get through whatever the level of the log is. */
function formatDropNotice(dropped: number, errorCode: string): string {
  const reason =
    errorCode === 'EAGAIN' ? 'was not read fast enough' : `could not be written (${errorCode})`;
  const line = {
    level: pino.levels.values.warn,
    time: new Date().toISOString(),
    dropped,
    msg: `log lines dropped: stderr ${reason}`,
  };
  return `${JSON.stringify(line)}\n`;
}
