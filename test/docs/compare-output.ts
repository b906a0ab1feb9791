import type { IdBook } from './id-book';
import { keeps } from './promised-output';

// As long as what it covers, so that columns stay where they are.
const withoutTimes = (line: string) =>
  line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => '~'.repeat(time.length));

/**
 * Prepares what a README shows and what a command really wrote for a comparison line by line: ids are
 * those of the README, times are covered, and a line that keeps one with `…` is taken for the same.
 */
export function compareOutput(
  shown: readonly string[],
  real: readonly string[],
  ids: IdBook,
): { shown: string[]; real: string[] } {
  const really = real.map((line, index) => {
    ids.learn(shown[index] ?? '', line);
    return withoutTimes(ids.toShown(line));
  });
  const promised = shown.map((line, index) => {
    const promise = withoutTimes(line);
    const same = really[index];
    return same !== undefined && keeps(promise, same) ? same : promise;
  });
  return { shown: promised, real: really };
}
