import { tradepostServerBin } from './programs';
import { type ProcessOptions, type RunningProcess, startProcess } from './start-process';

/** A server in a separate process. */
export interface ServerProcess extends RunningProcess {
  /** Its base URL, such as `http://127.0.0.1:43121`. */
  url: string;
  /** Its SQLite file, or the URL of its PostgreSQL database. */
  database: string;
}

/** Starts a proxy before a server. Returns the proxy's base URL, and how to end it. */
export type StartProxy = (target: string) => Promise<{ url: string; close(): Promise<void> }>;

let startProxy: StartProxy | undefined;

/** From now on, tests reach every server that `startServerProcess` starts through a proxy. */
export function useProxy(start: StartProxy): void {
  startProxy = start;
}

/**
 * Starts the real server on a free port, as an operator does, and waits until it accepts requests.
 * It delivers to the receivers of the test: plain http, this machine, self-signed certificates.
 *
 * @param args Further options of `tradepost-server start`, such as `['--rate-limit', '5']`.
 */
export async function startServerProcess(
  database: string,
  args: readonly string[] = [],
  options: Pick<ProcessOptions, 'stderr' | 'env'> = {},
): Promise<ServerProcess> {
  const start = ['start', '--port', '0', '--database', database, '--allow-insecure-webhooks'];
  const server = startProcess(process.execPath, [tradepostServerBin, ...start, ...args], options);
  const [, url = ''] = await server.writes(/^listening on (\S+)$/m);
  if (startProxy === undefined) return { ...server, url, database };
  const proxy = await startProxy(url);
  return {
    ...server,
    url: proxy.url,
    database,
    async stop(signal) {
      const exit = await server.stop(signal);
      await proxy.close();
      return exit;
    },
  };
}
