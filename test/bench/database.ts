import { constants } from 'node:fs';
import { copyFile, open, rm } from 'node:fs/promises';
import type { BenchEnvironment } from './bench-environment';
import { type BenchProcess, startBenchProcess, startForOther } from './bench-process';
import type { DatabaseOperations, DatabaseSpec } from './database-process';
import type { TradingAccounts } from './trading-accounts';

/** A database that is created once and copied for each round, so that all rounds start equal. */
export interface Template<Trades extends TradingAccounts[]> {
  trades: Trades;
  /** The original, for a bench that needs no equal rounds: a copy of some gigabytes takes long. Then `use` it no more. */
  file: string;
  /** Calls `work` with the path of a new copy, and deletes the copy afterwards. */
  use<Result>(work: (file: string) => Promise<Result>): Promise<Result>;
}

type TradesOf<Wanted> = { -readonly [At in keyof Wanted]: TradingAccounts };
/** The contents of databases, by name. */
export type Specs = Record<string, readonly [DatabaseSpec, ...DatabaseSpec[]]>;
/** The databases made from their contents. */
export type TemplatesOf<Wanted extends Specs> = {
  [Name in keyof Wanted]: Template<TradesOf<Wanted[Name]>>;
};

const program = new URL('./database-process.ts', import.meta.url);

/** Copies a file and waits until the copy is on disk. Otherwise it would be written during measurements. */
async function copyToDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const copy = await open(to, 'r+');
  await copy.sync().finally(() => copy.close());
}

async function useCopy<Result>(
  template: string,
  copy: string,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  await copyToDisk(template, copy);
  try {
    return await work(copy);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
  }
}

const processes = new WeakMap<BenchEnvironment, BenchProcess<DatabaseOperations>>();

/** Returns the process that creates the databases of all benches. It is idle during measurements. */
function getDatabaseProcess(environment: BenchEnvironment): BenchProcess<DatabaseOperations> {
  const known = processes.get(environment);
  if (known !== undefined) return known;
  const process = startBenchProcess<DatabaseOperations>(environment, program);
  processes.set(environment, process);
  return process;
}

/**
 * Fills an empty database with some groups of trading accounts.
 *
 * @param database The path of a SQLite file or the URL of a PostgreSQL database.
 */
export function fillDatabase(
  environment: BenchEnvironment,
  database: string,
  trades: readonly DatabaseSpec[],
): Promise<TradingAccounts[]> {
  return getDatabaseProcess(environment).call('create', { database, trades: [...trades] });
}

/**
 * Creates databases, each with some groups of trading accounts.
 *
 * @param specs The contents of each database, by name.
 */
export function createDatabases<const Wanted extends Specs>(
  environment: BenchEnvironment,
  specs: Wanted,
): Promise<TemplatesOf<Wanted>> {
  return create(environment, getDatabaseProcess(environment), specs);
}

/** Likewise, with the server of another checkout, whose schema may be older. */
export async function createOtherDatabases<const Wanted extends Specs>(
  environment: BenchEnvironment,
  otherCheckout: string,
  specs: Wanted,
): Promise<TemplatesOf<Wanted>> {
  const process = await startForOther<DatabaseOperations>(environment, program, otherCheckout);
  const made = await create(environment, process, specs);
  await process.stop();
  return made;
}

async function create<Wanted extends Specs>(
  environment: BenchEnvironment,
  process: BenchProcess<DatabaseOperations>,
  specs: Wanted,
): Promise<TemplatesOf<Wanted>> {
  const made: Record<string, Template<TradingAccounts[]>> = {};
  for (const [name, trades] of Object.entries(specs)) {
    const file = environment.newFile(`${name}.db`);
    made[name] = {
      file,
      trades: await process.call('create', { database: file, trades: [...trades] }),
      use: (work) => useCopy(file, environment.newFile(`${name}-copy.db`), work),
    };
  }
  return made as TemplatesOf<Wanted>;
}
