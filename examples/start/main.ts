/**
 * What `npm start` runs: it starts a server with demo data and prints commands to try.
 *
 * PORT is the port to listen on, 4010 by default. The data is stored in `.tradepost/` beside this
 * repository's package.json, or in the folder that is passed as first argument.
 */
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Interruption, onInterruption } from '../local-service/interruption';
import { runCommand } from '../local-service/run-command';
import { findAccount } from '../local-service/seed';
import { startServer } from '../local-service/start-server';
import { guide } from './guide';
import { loadOrSeed } from './load-or-seed';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = resolve(process.argv[2] ?? `${repository}/.tradepost`);

const stopping = new AbortController();
onInterruption((reason) => stopping.abort(reason));

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`PORT must be a number from 0 to 65535, not "${text}".`);
}

/** Creates a link that signs in to the console; null without one, for example because someone has revoked the key. */
async function createSignInLink(baseUrl: string, apiKey: string): Promise<string | null> {
  const env = { TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: apiKey };
  const command = runCommand('tradepost', ['open', '--print'], { env, signal: stopping.signal });
  const link = await command.catch(() => null);
  stopping.signal.throwIfAborted();
  return link?.trim() ?? null;
}

async function run(): Promise<void> {
  const { signal } = stopping;
  const port = readPort(process.env.PORT ?? '4010');
  const { database, seedFile, data } = await loadOrSeed(folder, signal);
  const env = { TRADEPOST_LOG_LEVEL: process.env.TRADEPOST_LOG_LEVEL ?? 'warn' };
  const onLogLine = (line: string) => process.stderr.write(`${line}\n`);
  const server = await startServer({ database, port, env, onLogLine, signal }).catch((error) => {
    if (!signal.aborted) process.stderr.write('To use another port: PORT=4020 npm start\n');
    throw error;
  });
  const { url } = server;
  const signInLink = await createSignInLink(url, findAccount(data, 'seller').apiKey);
  process.stdout.write(
    guide({ url, data, seedFile: relative(process.cwd(), seedFile), signInLink }),
  );
  const ending = await server.ended;
  signal.throwIfAborted();
  throw new Error(`The server exited unexpectedly (${ending}).`);
}

try {
  await run();
} catch (error) {
  if (stopping.signal.reason instanceof Interruption) {
    process.stdout.write('Stopped. The data is kept for the next start.\n');
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
