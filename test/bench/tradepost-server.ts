import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { tradepostServerBin } from '../helpers/programs';
import type { BenchEnvironment } from './bench-environment';

/** Returns the program of the server in another checkout. */
export function findServerBin(checkout: string): string {
  return join(resolve(checkout), 'packages/server/bin/tradepost-server.js');
}

/** A server under load. */
export interface ServerUnderLoad {
  /** Its base URL. */
  url: string;
  /** The process of the API. It is also that of the engine, unless that has its own. */
  pid: number;
  /** Returns the last lines of its log. */
  readLogTail(): string;
  /** Kills it. */
  stop(): Promise<void>;
}

/**
 * Runs `tradepost-server start` as an operator does, with its usual log, and waits until it is
 * ready. It may deliver to this machine, and has no effective rate limit.
 */
async function start(
  environment: BenchEnvironment,
  database: string,
  flags: readonly string[],
  bin = tradepostServerBin,
  nodeFlags: readonly string[] = [],
) {
  const limits = ['--rate-limit', '100000000', '--allow-insecure-webhooks'];
  const { child, stop, readLog, readLogTail } = environment.start(
    [...nodeFlags, bin, 'start', '--database', database, '--port', '0', ...limits, ...flags],
    ['ignore', 'pipe'],
  );
  if (child.stdout === null) throw new Error('The server has no stdout.');
  for await (const line of createInterface(child.stdout)) {
    const at = /^(?:listening on|delivering from) (.+)$/.exec(line)?.[1];
    if (at !== undefined) return { url: at, pid: child.pid ?? 0, readLog, readLogTail, stop };
  }
  throw new Error(`The server exited before it was ready:\n${readLogTail()}`);
}

/**
 * Starts a server with its defaults: one process, a thread for the API and one for the engine.
 *
 * @param flags Further options.
 * @param bin The program; by default that of this checkout.
 */
export function startTradepostServer(
  environment: BenchEnvironment,
  database: string,
  flags: readonly string[] = [],
  bin?: string,
): Promise<ServerUnderLoad> {
  return start(environment, database, flags, bin);
}

/** Starts a process for the API and one for the engine, on one database. */
export async function startTwoProcesses(
  environment: BenchEnvironment,
  database: string,
): Promise<ServerUnderLoad> {
  const api = await start(environment, database, ['--role', 'api']);
  const worker = await start(environment, database, ['--role', 'worker']);
  return {
    ...api,
    readLogTail: () => `${api.readLogTail()}\n${worker.readLogTail()}`,
    async stop() {
      await Promise.all([api.stop(), worker.stop()]);
    },
  };
}

/** Starts a server with its defaults and with Node's inspector, whose WebSocket URL is returned too. */
export async function startInspectedServer(
  environment: BenchEnvironment,
  database: string,
  bin?: string,
): Promise<ServerUnderLoad & { inspectorUrl: string }> {
  const server = await start(environment, database, [], bin, ['--inspect=127.0.0.1:0']);
  const inspectorUrl = /^Debugger listening on (ws:.+)$/m.exec(server.readLog())?.[1];
  if (inspectorUrl === undefined) throw new Error('The server has no inspector.');
  return { ...server, inspectorUrl };
}
