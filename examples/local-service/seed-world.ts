import type { SeededAccount, SeededWorld } from '@tradepost/server';
import { runCommand } from './run-command';

export type { SeededWorld } from '@tradepost/server';

/** Fills a database with the demo world: accounts of each kind with their keys, listings, orders. */
export async function seedWorld(database: string, signal: AbortSignal): Promise<SeededWorld> {
  const seed = ['seed', '--json', '--database', database];
  return JSON.parse(await runCommand('tradepost-server', seed, { signal })) as SeededWorld;
}

/** The first account of a kind. Throws when there is none. */
export function accountOf(world: SeededWorld, kind: SeededAccount['kind']): SeededAccount {
  const account = world.accounts.find((candidate) => candidate.kind === kind);
  if (account === undefined) throw new Error(`The demo world has no ${kind} account.`);
  return account;
}

/** The first listing. Throws when there is none. */
export function listingOf(world: SeededWorld): SeededWorld['listings'][number] {
  const [listing] = world.listings;
  if (listing === undefined) throw new Error('The demo world has no listing.');
  return listing;
}
