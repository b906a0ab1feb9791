import { InvalidArgument } from '../input/invalid-argument';

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/**
 * Reads a span of time such as `30s`, `5m` or `1h`.
 *
 * @returns milliseconds, from a second to 24 hours
 * @throws {InvalidArgument} for anything else.
 */
export function parseSpan(text: string): number {
  const [, count, unit] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const span = Number(count) * units[unit as keyof typeof units];
  if (span >= 1000 && span <= 24 * units.h) return span;
  throw new InvalidArgument('It must be a span such as 30s, 5m or 1h, 24 hours at most.');
}
