import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { machineTime } from './machine-time';

const pause = 2;

/**
 * Waits until a database says of every delivery that it was delivered, as whoever opened it after a crash
 * would find it.
 *
 * @returns When that was seen. Machine time.
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
