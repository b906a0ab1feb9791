import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { tradepostBin } from '../../helpers/programs';
import { runServerCommand } from '../../helpers/run-server-command';
import { screenText } from '../../helpers/screen-text';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { runProcess, startProcess } from '../../helpers/start-process';
import type { ServerProcess } from '../../helpers/start-server-process';
import { tradepostFunction, tradepostEnvironment } from '../../helpers/tradepost-shell';
import { createTranscript, type Played } from './transcript';

/** What the commands of an act write to. */
export type Setting = 'pipes' | 'terminal';

/** How a command line is run. */
export interface How {
  /** Whose key it has, and the address of the service; `nobody` has neither. The seller's unless told. */
  as?: 'buyer' | 'seller' | 'agent' | 'stranger' | 'nobody';
  /** What its environment has besides. */
  env?: Record<string, string>;
  /** What is typed once the terminal shows something: `[what, keys]`, in this order. */
  keys?: readonly (readonly [RegExp, string])[];
  /** It goes on for ever: Ctrl-C once it has written this. */
  until?: RegExp;
}

/** A scene that is played once on pipes, or once on a terminal: in a world and a folder of its own. */
export interface Act {
  on: Setting;
  seed: SeedResult;
  buyer: SeededAccount;
  seller: SeededAccount;
  /** Where the service is. */
  url: string;
  /** The folder that the commands run in. */
  folder: string;
  /** Shows something else for what differs from run to run, of the same length. */
  cover(real: string, shown: string): void;
  /** The SDK, with the key of an account. */
  clientOf(account: SeededAccount): Tradepost;
  /** Runs a command line, as a shell takes it, and writes down what came of it. */
  run(line: string, how?: How): Promise<void>;
  /** The same where it is played on pipes: what it writes to a terminal is no different. */
  runOnPipes(line: string, how?: How): Promise<void>;
}

/**
 * Plays a scene. Adds a world of its own to the service.
 *
 * @returns the transcript
 */
export async function playAct(
  scene: (act: Act) => Promise<void>,
  on: Setting,
  server: ServerProcess,
): Promise<string> {
  const seed = await runServerCommand<SeedResult>(['seed'], server.database);
  const [buyer, seller, agent, stranger] = seed.accounts;
  if (!(buyer && seller && agent && stranger)) throw new Error('The seed has too few accounts.');
  const accounts = { buyer, seller, agent, stranger };
  // Of the same length on every machine: what is shown of it may be cut to fit the terminal.
  const folder = await mkdtemp('/tmp/tradepost-');
  await chmod(folder, 0o700);
  const transcript = createTranscript();
  transcript.cover(folder, '/home/support/of-support');
  transcript.cover(server.url, 'http://127.0.0.1:40100');

  function environmentOf(who: How['as'] = 'seller'): Record<string, string> {
    const places = {
      HOME: folder,
      TRADEPOST_CONFIG_DIR: join(folder, 'config'),
      TRADEPOST_STATE_DIR: join(folder, 'state'),
      ...tradepostEnvironment,
    };
    if (who === 'nobody') return places;
    const { apiKey } = accounts[who];
    return { ...places, TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: apiKey };
  }

  async function run(line: string, how: How = {}): Promise<void> {
    const env = { ...environmentOf(how.as), ...how.env };
    const place = { env, cwd: folder };
    const { played, raw } = await (on === 'pipes' ? onPipes : onTerminal)(line, how, place);
    for (const { apiKey } of Object.values(accounts)) {
      if (raw.includes(apiKey)) throw new Error(`${line} shows a key in full:\n${raw}`);
    }
    const set = Object.entries(how.env ?? {}).map(([name, value]) => `${name}=${value} `);
    transcript.add(`${how.as ?? 'seller'}$ ${set.join('')}${line}`, played);
  }

  const runOnPipes: Act['run'] = async (line, how) => {
    if (on === 'pipes') await run(line, how);
  };
  const clientOf = ({ apiKey }: SeededAccount) => new Tradepost({ baseUrl: server.url, apiKey });
  try {
    const { cover } = transcript;
    const { url } = server;
    await scene({ on, seed, buyer, seller, url, folder, cover, clientOf, run, runOnPipes });
    return transcript.text();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  env: Record<string, string>;
  cwd: string;
}

type Shown = Promise<{ played: Played; raw: string }>;

async function onPipes(line: string, { until }: How, place: Place): Shown {
  if (until === undefined) {
    const { code, stdout, stderr } = await runProcess('sh', ['-c', tradepostFunction + line], place);
    return { played: { code, stdout, stderr }, raw: stdout + stderr };
  }
  // Without a shell between, so that the signal reaches the program itself.
  const argv = line.split(' ').slice(1);
  const child = startProcess(process.execPath, [tradepostBin, ...argv], place);
  try {
    await Promise.any([child.writes(until), child.writes(until, 'stderr')]);
  } finally {
    await child.stop('SIGINT');
  }
  const { code, stdout, stderr } = await child.exit;
  return { played: { code, stdout, stderr }, raw: stdout + stderr };
}

async function onTerminal(line: string, { keys = [], until }: How, place: Place): Shown {
  const session = startOnTerminal([], { ...place, shell: line, columns: 80 });
  for (const [what, typed] of keys) {
    await session.shows(what);
    session.type(typed);
  }
  if (until !== undefined) {
    await session.shows(until);
    session.type('\u0003');
  }
  const { code, raw } = await session.exit;
  return { played: { code, stdout: screenText(raw), stderr: '' }, raw };
}
