import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SeedResult, seed } from '../local-service/seed';

/** A database with demo data, and the API keys that belong to it. */
export interface SeededDatabase {
  /** SQLite file. */
  database: string;
  /** The file with the API keys. Only its owner can read it. */
  seedFile: string;
  data: SeedResult;
}

async function readSeed(seedFile: string): Promise<SeedResult> {
  try {
    const data = JSON.parse(await readFile(seedFile, 'utf8')) as SeedResult;
    if (data.accounts.length > 0 && data.listings.length > 0) return data;
    throw new Error('it has no accounts or no listings');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${seedFile} cannot be used (${reason}). Remove its folder to start with new demo data.`,
    );
  }
}

/** Loads the demo data of an earlier start from a folder, or creates it there. */
export async function loadOrSeed(folder: string, signal: AbortSignal): Promise<SeededDatabase> {
  const database = join(folder, 'tradepost.db');
  const seedFile = join(folder, 'seed.json');
  // Keys are useless without their database, and so is a database without its keys.
  if (existsSync(database) && existsSync(seedFile)) {
    return { database, seedFile, data: await readSeed(seedFile) };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const data = await seed(database, signal);
  const unfinished = `${seedFile}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, seedFile);
  return { database, seedFile, data };
}
