import { constants } from 'node:fs';
import { copyFile, open, rm } from 'node:fs/promises';
import type { DatabaseVerbs, TradeWanted } from './database-process';
import { startOwnProcess } from './own-process';
import type { Trade } from './trade';
import type { Workplace } from './workplace';

/** A database that is made once and copied for each round, so that all begin alike. */
export interface Template<Trades extends Trade[]> {
  trades: Trades;
  /** Does something with a fresh copy, whose path it is given, and removes the copy. */
  use<Result>(work: (file: string) => Promise<Result>): Promise<Result>;
}

type TradesOf<Wanted> = { -readonly [At in keyof Wanted]: Trade };

/** Copies a file and waits until the copy is on disk: else its writing would go on while others are measured. */
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

/**
 * Makes databases, each with some trades.
 *
 * @param wanted What each database is to have, by its name.
 */
export async function makeDatabases<
  const Wanted extends Record<string, readonly [TradeWanted, ...TradeWanted[]]>,
>(
  place: Workplace,
  wanted: Wanted,
): Promise<{ [Name in keyof Wanted]: Template<TradesOf<Wanted[Name]>> }> {
  const url = new URL('./database-process.ts', import.meta.url);
  const maker = startOwnProcess<DatabaseVerbs>(place, url);
  const made: Record<string, Template<Trade[]>> = {};
  for (const [name, trades] of Object.entries(wanted)) {
    const file = place.newFile(`${name}.db`);
    made[name] = {
      trades: await maker.ask('make', { file, trades: [...trades] }),
      use: (work) => useCopy(file, place.newFile(`${name}-copy.db`), work),
    };
  }
  await maker.stop();
  return made as { [Name in keyof Wanted]: Template<TradesOf<Wanted[Name]>> };
}
