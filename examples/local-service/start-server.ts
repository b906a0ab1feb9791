import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createEnvironment, programFile } from './programs';

/** How long a server may take to stop, in milliseconds. After that it is killed. */
const stopTimeoutMs = 10_000;

/** A server in a separate process. */
export interface LocalServer {
  /** Its base URL, such as `http://127.0.0.1:4010`. */
  url: string;
  /** Resolves when the server has exited: an exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
  /** Stops the server and waits until it has exited. A second call waits too. */
  stop(): Promise<void>;
}

/** Options of `startServer`. */
export interface LocalServerOptions {
  /** SQLite file. */
  database: string;
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Further settings, such as `TRADEPOST_LOG_LEVEL`. */
  env?: Record<string, string>;
  /** Receives each line that the server writes to stderr: its log, or why it could not start. */
  onLogLine(line: string): void;
  /** Stops the server when it aborts, also during the start. */
  signal: AbortSignal;
}

/**
 * Starts the server and waits until it accepts requests. It delivers to receivers on this machine
 * and accepts any certificate, so use it for development only.
 *
 * Rejects if the server exits before it accepts requests; `onLogLine` has received the reason.
 */
export async function startServer(options: LocalServerOptions): Promise<LocalServer> {
  const { database, port, env = {}, onLogLine, signal } = options;
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [
      programFile('tradepost-server'),
      ...['start', '--port', String(port), '--database', database, '--allow-insecure-webhooks'],
    ],
    { env: createEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  // The server ends with this process, even if an uncaught error ends it.
  const killServer = () => child.kill();
  process.once('exit', killServer);
  signal.addEventListener('abort', killServer);
  const ended = once(child, 'close').then(([code, signalName]): number | string => {
    process.off('exit', killServer);
    signal.removeEventListener('abort', killServer);
    return code ?? signalName;
  });

  createInterface({ input: child.stderr }).on('line', onLogLine);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, address] = /^listening on (\S+)$/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    ended.then((ending) => {
      reject(
        signal.aborted
          ? signal.reason
          : new Error(`The server exited before it accepted requests (${ending}).`),
      );
    }, reject);
  });

  return {
    url,
    ended,
    async stop() {
      child.kill();
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
