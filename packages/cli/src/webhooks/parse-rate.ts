import { InvalidArgument } from '../input/invalid-argument';

const units = { s: 1000, m: 60_000 } as const;

/**
 * Reads a pace such as `5/s` or `30/m`.
 *
 * @returns milliseconds from the beginning of one to that of the next
 * @throws {InvalidArgument} for anything else.
 */
export function parseRate(text: string): number {
  const [, count, unit] = /^(\d{1,4})\/([sm])$/.exec(text) ?? [];
  const interval = units[unit as keyof typeof units] / Number(count);
  if (interval >= 1 && interval < Number.POSITIVE_INFINITY) return interval;
  throw new InvalidArgument('It must be so many a second or a minute, such as 5/s or 30/m.');
}
