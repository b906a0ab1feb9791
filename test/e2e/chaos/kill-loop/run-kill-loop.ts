import { SeededRandom } from '../../../helpers/seeded-random';
import { temporaryFolder } from '../../../helpers/temporary-folder';
import { KillLoop, type KillLoopResult } from './kill-loop';
import { PostgresSystem } from './postgres-system';
import { SqliteSystem } from './sqlite-system';

/** The systems: one server on a SQLite file, or several processes on PostgreSQL. */
export const databases = ['sqlite', 'postgres'] as const;

/** Options of a kill loop. */
export interface KillLoopOptions {
  /** @default 'sqlite' */
  database?: (typeof databases)[number];
  /**
   * How many groups of clients trade with one another.
   * @default 2
   */
  markets?: number;
  /** How many faults there are, one after another. */
  rounds: number;
  /** Seeds all random choices: the same seed draws the same faults, kill points and actions. */
  seed: number;
  /** Called with each line of progress. */
  log: (line: string) => void;
}

/**
 * Lets real servers suffer faults under load and audits what they have acknowledged. It runs in a temporary folder,
 * which is kept if the audit finds a violation.
 */
export async function runKillLoop({
  database = 'sqlite',
  markets = 2,
  rounds,
  seed,
  log,
}: KillLoopOptions): Promise<KillLoopResult> {
  const folder = await temporaryFolder();
  log(`kill loop on ${database}: ${rounds} rounds, seed ${seed}`);
  const random = new SeededRandom(String(seed));
  const system =
    database === 'sqlite'
      ? await SqliteSystem.create(folder.path, random)
      : await PostgresSystem.create(folder.path, random);
  const loop = await KillLoop.create(system, random, markets).catch(async (error: unknown) => {
    await system.close();
    throw error;
  });
  let isKept = true;
  try {
    const result = await loop.run(rounds, log);
    isKept = result.violations.length > 0;
    if (isKept) {
      log(
        `seed ${seed} found ${result.violations.length} violations; the data is in ${folder.path}`,
      );
    }
    return result;
  } finally {
    await loop.close();
    if (!isKept) await folder.remove();
  }
}
