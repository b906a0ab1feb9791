import { join } from 'node:path';
import { SeededRandom } from '../../../helpers/seeded-random';
import { temporaryFolder } from '../../../helpers/temporary-folder';
import { KillLoop, type KillLoopResult } from './kill-loop';

/** Options of a kill loop. */
export interface KillLoopOptions {
  /** How often the server is killed. */
  kills: number;
  /** Seeds all random choices: the same seed draws the same kill points and the same actions. */
  seed: number;
  /** Called with each line of progress. */
  log: (line: string) => void;
}

/**
 * Kills a real server repeatedly under load and audits what it has acknowledged. It runs in a temporary folder,
 * which is kept if the audit finds a violation.
 */
export async function runKillLoop({ kills, seed, log }: KillLoopOptions): Promise<KillLoopResult> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  log(`kill loop: ${kills} kills, seed ${seed}`);
  const loop = await KillLoop.create(database, new SeededRandom(String(seed)));
  try {
    const result = await loop.run(kills, log);
    if (result.violations.length === 0) await folder.remove();
    else
      log(`seed ${seed} found ${result.violations.length} violations; the database is ${database}`);
    return result;
  } finally {
    await loop.close();
  }
}
