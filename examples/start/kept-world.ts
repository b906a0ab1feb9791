import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SeedResult, seed } from '../local-service/seed-world';

/** A seeded database that outlives the server, and the keys that belong to it. */
export interface KeptWorld {
  /** SQLite file. */
  database: string;
  /** Where the keys are kept, readable for their owner alone. */
  seedFile: string;
  world: SeedResult;
}

async function readSeed(seedFile: string): Promise<SeedResult> {
  try {
    const world = JSON.parse(await readFile(seedFile, 'utf8')) as SeedResult;
    if (world.accounts.length > 0 && world.listings.length > 0) return world;
    throw new Error('it holds no accounts or no listings');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${seedFile} cannot be used (${why}). Remove its folder to begin with a new world.`,
    );
  }
}

/** Takes the world that an earlier start left in a folder, or makes one there. */
export async function keptWorld(folder: string, signal: AbortSignal): Promise<KeptWorld> {
  const database = join(folder, 'tradepost.db');
  const seedFile = join(folder, 'seed.json');
  // Keys without their database open nothing, and a database without its keys helps nobody.
  if (existsSync(database) && existsSync(seedFile)) {
    return { database, seedFile, world: await readSeed(seedFile) };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const world = await seed(database, signal);
  const unfinished = `${seedFile}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(world, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, seedFile);
  return { database, seedFile, world };
}
