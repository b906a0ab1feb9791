import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { tradepostBin, tradepostEnvironment, tradepostFunction } from '../../../helpers/programs';
import { runServerCommand } from '../../../helpers/run-server-command';
import { screenText } from '../../../helpers/screen-text';
import { startOnTerminal, type TerminalSession } from '../../../helpers/start-on-terminal';
import { runProcess, startProcess } from '../../../helpers/start-process';
import type { ServerProcess } from '../../../helpers/start-server-process';
import { type CommandResult, createTranscript } from './transcript';

/** What the commands of a scenario write to. */
export type OutputMode = 'pipes' | 'terminal';

/** Options of a command line. */
export interface CommandOptions {
  /**
   * The account whose key it uses. `anonymous` has neither a key nor the service's URL, and `support` has those of
   * its profile, once it is logged in. Defaults to the seller.
   */
  as?: 'buyer' | 'seller' | 'agent' | 'stranger' | 'anonymous' | 'support';
  /** Further environment variables. */
  env?: Record<string, string>;
  /** What to type when the terminal shows a text: `[text, keys]`, in this order. */
  keys?: readonly (readonly [RegExp, string])[];
  /** For a command that does not end by itself: press Ctrl-C when it has written this. */
  until?: RegExp;
  /** On a terminal: what happens while it runs, before `until`. */
  meanwhile?(session: TerminalSession): Promise<void>;
}

/** Options of a scenario. */
export interface ScenarioOptions {
  /** The width of the terminal, in cells. Defaults to 80. */
  columns?: number;
}

/** What a scenario works with. Each run has its own demo data and folder. */
export interface ScenarioContext {
  mode: OutputMode;
  seed: SeedResult;
  buyer: SeededAccount;
  seller: SeededAccount;
  agent: SeededAccount;
  server: ServerProcess;
  /** The URL of the service. */
  url: string;
  /** The working folder of the commands. */
  folder: string;
  /** Replaces a text that differs from run to run, by one of the same length. */
  mask(text: string, replacement: string): void;
  /** Creates an SDK client with the key of an account. */
  createClient(account: SeededAccount): Tradepost;
  /** Runs a command line in a shell and records its result. Returns what it printed, with nothing replaced. */
  run(line: string, options?: CommandOptions): Promise<string>;
  /** Runs it on pipes only, if the output on a terminal is the same. */
  runOnPipes(line: string, options?: CommandOptions): Promise<void>;
}

/**
 * Runs a scenario. Adds its own demo data to the service.
 *
 * @returns the transcript
 */
export async function runScenario(
  scenario: (context: ScenarioContext) => Promise<void>,
  mode: OutputMode,
  server: ServerProcess,
  { columns = 80 }: ScenarioOptions = {},
): Promise<string> {
  const seed = await runServerCommand<SeedResult>(['seed'], server.database);
  const [buyer, seller, agent, stranger] = seed.accounts;
  if (!(buyer && seller && agent && stranger)) throw new Error('The seed has too few accounts.');
  const accounts = { buyer, seller, agent, stranger };
  // Has the same length on every machine, since output may be truncated to fit the terminal.
  const folder = await mkdtemp('/tmp/tradepost-');
  await chmod(folder, 0o700);
  const transcript = createTranscript();
  transcript.mask(folder, '/home/support/of-support');
  transcript.mask(server.url, 'http://127.0.0.1:40100');

  function createEnvironment(account: CommandOptions['as'] = 'seller'): Record<string, string> {
    const base = {
      HOME: folder,
      TRADEPOST_CONFIG_DIR: join(folder, 'config'),
      TRADEPOST_STATE_DIR: join(folder, 'state'),
      ...tradepostEnvironment,
      // Relative times have another length from run to run, and so have columns beside them.
      TRADEPOST_TIME: 'local',
    };
    if (account === 'anonymous' || account === 'support') return base;
    const { apiKey } = accounts[account];
    return { ...base, TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: apiKey };
  }

  async function run(line: string, options: CommandOptions = {}): Promise<string> {
    const env = { ...createEnvironment(options.as), ...options.env };
    const settings = { env, cwd: folder, columns };
    const { result, raw } = await (mode === 'pipes' ? runCommandOnPipes : runCommandOnTerminal)(
      line,
      options,
      settings,
    );
    for (const { apiKey } of Object.values(accounts)) {
      if (raw.includes(apiKey)) throw new Error(`${line} shows a key in full:\n${raw}`);
    }
    const set = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value} `);
    transcript.add(`${options.as ?? 'seller'}$ ${set.join('')}${line}`, result);
    return raw;
  }

  const runOnPipes: ScenarioContext['runOnPipes'] = async (line, options) => {
    if (mode === 'pipes') await run(line, options);
  };
  const createClient = ({ apiKey }: SeededAccount) =>
    new Tradepost({ baseUrl: server.url, apiKey });
  try {
    const { mask } = transcript;
    const { url } = server;
    await scenario({
      ...{ mode, seed, buyer, seller, agent, server, url, folder },
      ...{ mask, createClient, run, runOnPipes },
    });
    return transcript.text();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ProcessSettings {
  env: Record<string, string>;
  cwd: string;
  columns: number;
}

type CommandRun = Promise<{ result: CommandResult; raw: string }>;

async function runCommandOnPipes(
  line: string,
  { until }: CommandOptions,
  settings: ProcessSettings,
): CommandRun {
  if (until === undefined) {
    const { code, stdout, stderr } = await runProcess(
      'sh',
      ['-c', tradepostFunction + line],
      settings,
    );
    return { result: { code, stdout, stderr }, raw: stdout + stderr };
  }
  // Without a shell, so that the signal reaches the program itself.
  const argv = line.split(' ').slice(1);
  const child = startProcess(process.execPath, [tradepostBin, ...argv], settings);
  try {
    await Promise.any([child.writes(until), child.writes(until, 'stderr')]);
  } finally {
    await child.stop('SIGINT');
  }
  const { code, stdout, stderr } = await child.exit;
  return { result: { code, stdout, stderr }, raw: stdout + stderr };
}

async function runCommandOnTerminal(
  line: string,
  { keys = [], until, meanwhile }: CommandOptions,
  settings: ProcessSettings,
): CommandRun {
  const session = startOnTerminal([], { ...settings, shell: line });
  for (const [text, typed] of keys) {
    await session.shows(text);
    session.type(typed);
  }
  await meanwhile?.(session);
  if (until !== undefined) {
    await session.shows(until);
    session.type('\u0003');
  }
  const { code, raw } = await session.exit;
  return { result: { code, stdout: screenText(raw), stderr: '' }, raw };
}
