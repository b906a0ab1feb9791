import type { Command, Option } from 'commander';
import type { Terminal } from '../terminal';
import { InvalidArgument } from './invalid-argument';

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const rule =
  'It must be a time ago such as 45s, 30m, 6h, 2d or 1w, a day such as 2026-11-20 (its start in UTC), or an ISO 8601 moment with its zone such as 2026-11-20T09:30:00Z.';

/** Beyond these, ISO 8601 needs a sign and six digits for the year, which no service expects. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a moment as people give it: how long ago, a day in UTC, or ISO 8601 with a zone.
 *
 * @param now milliseconds since 1970
 * @returns ISO 8601, UTC, with milliseconds, in the years 1 to 9999
 * @throws {InvalidArgument} for anything else; also for a local time, which others read differently.
 */
export function parseMoment(text: string, now: number): string {
  const ago = /^(\d{1,9})([smhdw])$/.exec(text);
  if (ago !== null) return isoOf(now - Number(ago[1]) * units[ago[2] as keyof typeof units]);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  if (!isDay && !isMoment) throw new InvalidArgument(rule);
  checkDay(text.slice(0, 10));
  return isoOf(Date.parse(isDay ? `${text}T00:00:00Z` : text.toUpperCase()));
}

function isoOf(time: number): string {
  if (Number.isNaN(time)) throw new InvalidArgument(rule);
  if (time >= earliest && time <= latest) return new Date(time).toISOString();
  throw new InvalidArgument('It is not within the years 1 to 9999.');
}

/** 30 February would be taken for 2 March. */
function checkDay(day: string): void {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day)) return;
  throw new InvalidArgument(
    `There is no day ${day}: a day is its year, month and day of the month.`,
  );
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
