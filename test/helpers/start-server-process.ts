import { tradepostServerBin } from './programs';
import { type ProcessOptions, type RunningProcess, startProcess } from './start-process';

/** A server in a separate process. */
export interface ServerProcess extends RunningProcess {
  /** Its base URL, such as `http://127.0.0.1:43121`. */
  url: string;
  /** Its SQLite file. */
  database: string;
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
  options: Pick<ProcessOptions, 'stderr'> = {},
): Promise<ServerProcess> {
  const start = ['start', '--port', '0', '--database', database, '--allow-insecure-webhooks'];
  const server = startProcess(process.execPath, [tradepostServerBin, ...start, ...args], options);
  const [, url = ''] = await server.writes(/^listening on (\S+)$/m);
  return { ...server, url, database };
}
