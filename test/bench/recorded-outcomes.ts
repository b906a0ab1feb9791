import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { machineTime } from './loops';

const pause = 2;

/**
 * Waits until every delivery is recorded as delivered, as another process would read it after a crash.
 *
 * @returns The machine time at that point.
 */
export async function allRecorded(file: string): Promise<number> {
  const connection = new Database(file, { readonly: true });
  try {
    const unfinished = connection.prepare("SELECT 1 FROM deliveries WHERE state <> 'delivered'");
    while (unfinished.get() !== undefined) await setTimeout(pause);
    return machineTime();
  } finally {
    connection.close();
  }
}
