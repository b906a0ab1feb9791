import { tradepostServerBin } from './programs';
import { type ProcessOptions, type RunningProcess, startProcess } from './start-process';

/** A server in a process of its own. */
export interface ServerProcess extends RunningProcess {
  /** Where it answers, such as `http://127.0.0.1:43121`. */
  url: string;
  /** The SQLite file that it works on. */
  database: string;
}

/**
 * Starts the real server on a free port, as an operator does, and waits until it accepts requests.
 * It delivers to receivers of the test: plain http, this machine, certificates of our own.
 *
 * @param args More of what `tradepost-server start` takes, such as `['--rate-limit', '5']`.
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
