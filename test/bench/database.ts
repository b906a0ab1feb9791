import { constants } from 'node:fs';
import { copyFile, open, rm } from 'node:fs/promises';
import type { Workplace } from './bench-environment';
import type { DatabaseVerbs, TradeWanted } from './database-process';
import { type OwnProcess, startOwnProcess } from './own-process';
import type { Trade } from './trade';

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

const makers = new WeakMap<Workplace, OwnProcess<DatabaseVerbs>>();

/** The process that makes the databases of all benches: it is idle while they measure, and ends with the folder. */
function findMaker(place: Workplace): OwnProcess<DatabaseVerbs> {
  const known = makers.get(place);
  if (known !== undefined) return known;
  const maker = startOwnProcess<DatabaseVerbs>(
    place,
    new URL('./database-process.ts', import.meta.url),
  );
  makers.set(place, maker);
  return maker;
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
  const maker = findMaker(place);
  const makeTrades = (file: string, trades: TradeWanted[]) => maker.ask('make', { file, trades });
  const made: Record<string, Template<Trade[]>> = {};
  for (const [name, trades] of Object.entries(wanted)) {
    const file = place.newFile(`${name}.db`);
    made[name] = {
      trades: await makeTrades(file, [...trades]),
      use: (work) => useCopy(file, place.newFile(`${name}-copy.db`), work),
    };
  }
  return made as { [Name in keyof Wanted]: Template<TradesOf<Wanted[Name]>> };
}
