import { matchesLine } from './expected-output';
import type { IdMapping } from './id-mapping';

// Keeps the length, so that columns are not shifted.
const withoutTimes = (line: string) =>
  line
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| [+-]\d\d:\d\d)?/g, (time) => '~'.repeat(time.length))
    // In a column of a steady width.
    .replace(/(\d+ \w+ ago|\bnow) {2,}/g, '(age)  ')
    // At the end of a line, where a length does not matter.
    .replace(/(\d+ \w+ ago|\bnow)(?=\)?$)/, '(age)');

/**
 * Prepares the output in a README and the real output for a comparison line by line. IDs are replaced by those
 * of the README, times are masked, and a line that matches one with `…` counts as equal.
 */
export function compareOutput(
  shown: readonly string[],
  real: readonly string[],
  ids: IdMapping,
): { shown: string[]; real: string[] } {
  const actual = real.map((line, index) => {
    ids.learn(shown[index] ?? '', line);
    return withoutTimes(ids.toDocumented(line));
  });
  const expected = shown.map((line, index) => {
    const pattern = withoutTimes(line);
    const same = actual[index];
    return same !== undefined && matchesLine(pattern, same) ? same : pattern;
  });
  return { shown: expected, real: actual };
}
