import type { SeededAccount, SeedResult } from '@tradepost/server';
import { runCommand } from './run-command';

export type { SeedResult } from '@tradepost/server';

/** Creates the demo data in a database: accounts of each kind with their keys, listings, orders. */
export async function seed(database: string, signal: AbortSignal): Promise<SeedResult> {
  const args = ['seed', '--json', '--database', database];
  return JSON.parse(await runCommand('tradepost-server', args, { signal })) as SeedResult;
}

/** Returns the first account of a kind. Throws if there is none. */
export function findAccount(data: SeedResult, kind: SeededAccount['kind']): SeededAccount {
  const account = data.accounts.find((candidate) => candidate.kind === kind);
  if (account === undefined) throw new Error(`The demo data has no ${kind} account.`);
  return account;
}

/** Returns the first listing. Throws if there is none. */
export function firstListing(data: SeedResult): SeedResult['listings'][number] {
  const [listing] = data.listings;
  if (listing === undefined) throw new Error('The demo data has no listing.');
  return listing;
}
