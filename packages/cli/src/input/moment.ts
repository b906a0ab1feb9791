import type { Command, Option } from 'commander';
import { InvalidArgument } from '../commands/invalid-argument';
import type { Terminal } from '../terminal';

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const rule =
  'It must be a time ago such as 45s, 30m, 6h, 2d or 1w, a day such as 2026-11-20 (its start in UTC), or an ISO 8601 moment with its zone such as 2026-11-20T09:30:00Z.';

/**
 * Reads a moment as people give it: how long ago, a day in UTC, or ISO 8601 with a zone.
 *
 * @param now milliseconds since 1970
 * @returns ISO 8601, UTC, with milliseconds
 * @throws {InvalidArgument} for anything else; also for a local time, which others read differently.
 */
export function parseMoment(text: string, now: number): string {
  const ago = /^(\d{1,9})([smhdw])$/.exec(text);
  if (ago !== null) {
    const unit = units[ago[2] as keyof typeof units];
    return isoOf(now - Number(ago[1]) * unit);
  }
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  if (!isDay && !isMoment) throw new InvalidArgument(rule);
  return isoOf(Date.parse(isDay ? `${text}T00:00:00Z` : text), text.slice(0, 10));
}

/** @param day the day that it was written with: 30 February must not become 2 March */
function isoOf(time: number, day?: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new InvalidArgument(rule);
  if (day !== undefined) {
    const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
    const written = new Date(Date.UTC(year, month - 1, dayOfMonth));
    if (written.getUTCDate() !== dayOfMonth) throw new InvalidArgument(rule);
  }
  return date.toISOString();
}

/** An option that takes a moment, as `parseMoment` reads it. */
export function momentOption(
  command: Command,
  terminal: Terminal,
  flags: string,
  description: string,
): Option {
  return command
    .createOption(flags, description)
    .argParser((text: string) => parseMoment(text, terminal.now()));
}
