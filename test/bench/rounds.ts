/**
 * Measures several sides in turn, round after round, so that a slow phase of the machine affects all
 * of them. Every other round runs in reverse order, so that no side is always first.
 *
 * @param log Called at the start of each round. Defaults to nothing.
 * @param what What is measured, for the log.
 * @returns The results of each side, in the order of the rounds.
 */
export async function interleave<Side extends string, Result>(
  rounds: number,
  sides: Record<Side, () => Promise<Result>>,
  log?: (progress: string) => void,
  what?: string,
): Promise<Record<Side, Result[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Side,
    Result[]
  >;
  for (let round = 1; round <= rounds; round += 1) {
    log?.(`${what === undefined ? '' : `${what}: `}round ${round} of ${rounds}`);
    const order = round % 2 === 1 ? names : names.toReversed();
    for (const name of order) results[name].push(await sides[name]());
  }
  return results;
}
