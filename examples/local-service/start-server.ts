import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environmentWith, fileOf } from './programs';

/** A server that takes longer than this to stop has gone astray. */
const patience = 10_000;

/** A server in a process of its own. */
export interface LocalServer {
  /** Where it answers, such as `http://127.0.0.1:4010`. */
  url: string;
  /** Settles when it has ended, whoever ended it, with how: an exit code or the name of a signal. */
  ended: Promise<number | string>;
  /** Stops it and waits until it has ended. A second call waits too. */
  stop(): Promise<void>;
}

/** How to start it. */
export interface LocalServerOptions {
  /** SQLite file. */
  database: string;
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Further settings, such as `TRADEPOST_LOG_LEVEL`. */
  env?: Record<string, string>;
  /** Gets each line that the server writes to stderr: its log, or what kept it from starting. */
  onLogLine(line: string): void;
  /** Stops the server when it aborts, started or not. */
  signal: AbortSignal;
}

/**
 * Starts the server and waits until it accepts requests. It delivers to receivers on this machine,
 * whatever their certificates: that is for development alone.
 *
 * Rejects when it ends before that; what it said then went to `onLogLine`.
 */
export async function startServer(options: LocalServerOptions): Promise<LocalServer> {
  const { database, port, env = {}, onLogLine, signal } = options;
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [
      fileOf('tradepost-server'),
      ...['start', '--port', String(port), '--database', database, '--allow-insecure-webhooks'],
    ],
    { env: environmentWith(env), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  // Whatever ends this process, an error that nobody caught included, ends the server too.
  const dieWithUs = () => child.kill();
  process.once('exit', dieWithUs);
  signal.addEventListener('abort', dieWithUs);
  const ended = once(child, 'close').then(([code, signalName]): number | string => {
    process.off('exit', dieWithUs);
    signal.removeEventListener('abort', dieWithUs);
    return code ?? signalName;
  });

  createInterface({ input: child.stderr }).on('line', onLogLine);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, address] = /^listening on (\S+)$/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    ended.then((how) => {
      reject(
        signal.aborted
          ? signal.reason
          : new Error(`The server ended before it accepted requests (${how}).`),
      );
    }, reject);
  });

  return {
    url,
    ended,
    async stop() {
      child.kill();
      const lastResort = setTimeout(() => child.kill('SIGKILL'), patience);
      await ended;
      clearTimeout(lastResort);
    },
  };
}
