import { join } from 'node:path';
import { SeededRandom } from '../../../helpers/seeded-random';
import { temporaryFolder } from '../../../helpers/temporary-folder';
import { KillLoop, type KillLoopResult } from './kill-loop';

/** How a kill loop is to run. */
export interface KillLoopOptions {
  /** How often the server is killed. */
  kills: number;
  /** Where all chance comes from: the same seed draws the same moments and the same actions. */
  seed: number;
  /** Told how it gets on, a line each. */
  say: (line: string) => void;
}

/**
 * Kills a real server again and again under load and audits what it has promised: DESIGN.md §4. All of
 * it happens in a folder of its own, which is removed unless something is wrong with what is in it.
 */
export async function runKillLoop({ kills, seed, say }: KillLoopOptions): Promise<KillLoopResult> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  say(`kill loop: ${kills} kills, seed ${seed}`);
  const loop = await KillLoop.on(database, new SeededRandom(String(seed)));
  try {
    const result = await loop.run(kills, say);
    if (result.faults.length === 0) await folder.remove();
    else say(`seed ${seed} found ${result.faults.length} faults; the database is ${database}`);
    return result;
  } finally {
    await loop.close();
  }
}
