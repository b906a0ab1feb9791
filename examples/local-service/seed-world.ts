import type { SeededAccount, SeedResult } from '@tradepost/server';
import { runCommand } from './run-command';

export type { SeedResult } from '@tradepost/server';

/** Fills a database with the demo world: accounts of each kind with their keys, listings, orders. */
export async function seed(database: string, signal: AbortSignal): Promise<SeedResult> {
  const seed = ['seed', '--json', '--database', database];
  return JSON.parse(await runCommand('tradepost-server', seed, { signal })) as SeedResult;
}

/** The first account of a kind. Throws when there is none. */
export function accountOf(world: SeedResult, kind: SeededAccount['kind']): SeededAccount {
  const account = world.accounts.find((candidate) => candidate.kind === kind);
  if (account === undefined) throw new Error(`The demo world has no ${kind} account.`);
  return account;
}

/** The first listing. Throws when there is none. */
export function listingOf(world: SeedResult): SeedResult['listings'][number] {
  const [listing] = world.listings;
  if (listing === undefined) throw new Error('The demo world has no listing.');
  return listing;
}
