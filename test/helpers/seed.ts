import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { runServerCommand } from './run-server-command';
import { temporaryFolder } from './temporary-folder';

declare module 'vitest' {
  interface ProvidedContext {
    /** A seeded database for tests to copy. */
    seedTemplate: { file: string; data: SeedResult };
  }
}

/** Vitest's global setup: seeds one database for all tests of a project. */
export default async function createSeedTemplate(
  project: TestProject,
): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'seed.db');
  const data = await runServerCommand<SeedResult>(['seed'], file);
  project.provide('seedTemplate', { file, data });
  return folder.remove;
}

/**
 * Creates a database with the data of `tradepost-server seed`. It copies one file, since a process for
 * each test takes most of a second. IDs and API keys are the same in all of these databases.
 *
 * @param database A file that does not exist yet.
 */
export async function seedDatabase(database: string): Promise<SeedResult> {
  const { file, data } = inject('seedTemplate');
  await copyFile(file, database);
  return data;
}

/** Returns the ID of the first seeded order with a status. Throws if there is none. */
export function findOrderId({ orders }: SeedResult, status: string): string {
  const order = orders.find((candidate) => candidate.status === status);
  if (order === undefined) throw new Error(`The seed has no ${status} order.`);
  return order.id;
}
