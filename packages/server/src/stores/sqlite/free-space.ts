import { statfs } from 'node:fs/promises';
import { StoreFullError } from '@tradepost/domain/kernel/errors';
import type Database from 'better-sqlite3';

/** What must be left on the disk: enough for some group commits and the checkpoint after them. */
const minFreeBytes = 4 * 1024 * 1024;
/** What must be left in a database with a maximum size, in pages: enough for an order with its events and deliveries. */
const minFreePages = 32;

/**
 * Returns how much this process may still write to the disk of a folder, in bytes; null if the system does not say.
 * Source: statvfs(3).
 */
export async function readFreeBytes(folder: string): Promise<number | null> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    // Some network and user-space file systems report neither size nor free space.
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

/**
 * Checks that a disk has space for changes.
 *
 * @throws StoreFullError
 */
export function requireFreeDisk(freeBytes: number | null): void {
  if (freeBytes === null || freeBytes >= minFreeBytes) return;
  throw new StoreFullError('The disk of the database has less than 4 MiB left.');
}

/**
 * Checks that a database has space for changes below its maximum size.
 *
 * @throws StoreFullError
 */
export function requireFreePages(connection: Database.Database): void {
  const read = (name: string) => Number(connection.pragma(name, { simple: true }));
  const free = read('max_page_count') - read('page_count') + read('freelist_count');
  if (free >= minFreePages) return;
  throw new StoreFullError('The database has nearly its maximum size (--max-database-mb).');
}
