import type { Claim, Holds } from './claim';

/**
 * Work that hands out each claim that needs cryptography and takes back whether it holds: so the same
 * search serves `node:crypto`, which answers at once, and WebCrypto, which answers later.
 */
export type Search<Result> = Generator<Claim, Result, boolean>;

/** Carries a search through with cryptography that answers at once. */
export function searchSync<Result>(search: Search<Result>, holds: Holds): Result {
  let step = search.next();
  while (!step.done) step = search.next(holds(step.value));
  return step.value;
}

/** Carries a search through with cryptography that answers later. */
export async function searchAsync<Result>(
  search: Search<Result>,
  holds: (claim: Claim) => Promise<boolean>,
): Promise<Result> {
  let step = search.next();
  while (!step.done) step = search.next(await holds(step.value));
  return step.value;
}
