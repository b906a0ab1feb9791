import { createInterface } from 'node:readline';
import { tradepostServerBin } from '../helpers/programs';
import type { Workplace } from './bench-environment';

/** A server under load. */
export interface ServerUnderLoad {
  /** Where it answers. */
  url: string;
  /** The process that serves the API; the engine's too, unless it has one of its own. */
  pid: number;
  /** What its log says last. */
  lastWords(): string;
  /** Kills it. */
  stop(): Promise<void>;
}

/**
 * Runs `tradepost-server start` as an operator does, with its usual log, and waits until it says that it
 * is at work. It may deliver to this machine, and no key runs into a rate limit.
 */
async function start(place: Workplace, database: string, flags: readonly string[]) {
  const freely = ['--rate-limit', '100000000', '--allow-insecure-webhooks'];
  const { child, stop, lastWords } = place.start(
    [tradepostServerBin, 'start', '--database', database, '--port', '0', ...freely, ...flags],
    ['ignore', 'pipe'],
  );
  if (child.stdout === null) throw new Error('The server has no stdout.');
  for await (const line of createInterface(child.stdout)) {
    const at = /^(?:listening on|delivering from) (.+)$/.exec(line)?.[1];
    if (at !== undefined) return { url: at, pid: child.pid ?? 0, lastWords, stop };
  }
  throw new Error(`The server ended before it was at work:\n${lastWords()}`);
}

/**
 * Starts a server as it is by default: one process, a thread for the API and one for the engine.
 *
 * @param flags What it is told beside.
 */
export function startTradepostServer(
  place: Workplace,
  database: string,
  flags: readonly string[] = [],
): Promise<ServerUnderLoad> {
  return start(place, database, flags);
}

/** Starts a process for the API and one for the engine, on one database. */
export async function startTwoProcesses(
  place: Workplace,
  database: string,
): Promise<ServerUnderLoad> {
  const api = await start(place, database, ['--role', 'api']);
  const worker = await start(place, database, ['--role', 'worker']);
  return {
    ...api,
    lastWords: () => `${api.lastWords()}\n${worker.lastWords()}`,
    async stop() {
      await Promise.all([api.stop(), worker.stop()]);
    },
  };
}
