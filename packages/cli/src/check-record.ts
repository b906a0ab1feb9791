import { CliError } from './cli-error';
import { isRecord } from './is-record';

/** More of what came instead is not shown, in characters. */
const longestExcerpt = 60;

/**
 * Checks that something the service sent is an object with fields. Which fields it has is not asked.
 *
 * @throws {CliError} `wrong_answer` when it is null, a text, or what else there is.
 */
export function checkRecord<Item>(item: Item): Item {
  if (isRecord(item)) return item;
  throw new CliError(
    'wrong_answer',
    `the service sent what should be an object, and is ${excerptOf(item)}`,
    'Check TRADEPOST_BASE_URL or --base-url: it must lead to the service itself.',
  );
}

function excerptOf(item: unknown): string {
  const text = JSON.stringify(item) ?? 'nothing';
  return text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
}
