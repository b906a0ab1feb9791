import type { Account } from '@tradepost/domain/accounts/account';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { createNameMatcher } from '@tradepost/domain/partners/partner';

/** Comes after every ID of an account, `usr_<id>`. */
export const afterAll = 'v';

/** How many partners a step of a search reads: a few milliseconds of work. */
const defaultStepSize = 2_000;

/** Lists the partners of an account whose IDs come after that of `after`, newest first, up to `limit`. */
export type ReadPartners = (after: PageKey | null, limit: number) => Promise<Account[]>;

/**
 * Searches for partners by a part of their name. Names are compared here, so that all stores find the same. It yields after each
 * step, so that other work gets a turn.
 *
 * @param stepSize How many partners a step reads.
 */
export async function* findPartners(
  read: ReadPartners,
  name: string,
  { after, limit }: { after: PageKey | null; limit: number },
  stepSize = defaultStepSize,
): AsyncGenerator<undefined, Account[]> {
  const matches = createNameMatcher(name);
  const found: Account[] = [];
  for (let from: PageKey | null | undefined = after; from !== undefined; ) {
    const step = await read(from, stepSize);
    found.push(...step.filter(matches));
    from = step.length < stepSize || found.length >= limit ? undefined : step.at(-1);
    yield;
  }
  return found.slice(0, limit);
}
