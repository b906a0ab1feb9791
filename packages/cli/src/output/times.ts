import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import { createLocalFormat } from '../input/local-time';
import { type OutputOptions, type TimeStyle, timeStyles } from '../input/options';

export interface Times {
  /** Whether the value of a field is a time. A service may send another type than the specification defines. */
  isTime: (field: string, value: unknown) => value is string;
  /** In a table, or in a line of a list. */
  inRow: (time: string) => string;
  /** Alone: in a record, in a sentence. */
  alone: (time: string) => string;
}

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/;
const wholeTime = new RegExp(`^${isoTime.source}$`);
const timesInText = new RegExp(`\\b${isoTime.source}(?!\\d)`, 'g');

const timeField = /(At|Until|Since)$|^(asOf|at|since|until)$/;

function isTime(field: string, value: unknown): value is string {
  return timeField.test(field) && typeof value === 'string' && wholeTime.test(value);
}

export function formatTimes(text: string, format: (time: string) => string): string {
  return text.replace(timesInText, (time) => format(time));
}

/**
 * Chooses how times are shown. On a terminal, a list has relative times, since they are short, and a single
 * item local ones with their offset and the relative time. Rows that appear as things happen have local
 * times, since relative ones would be wrong soon after. `--time` sets one style for all.
 *
 * @param options.hasExactTimes whether rows have exact times rather than relative ones
 * @returns null if times stay as they are: ISO 8601, UTC. So they do without a terminal, for programs.
 * @throws {CliError} `usage` if TRADEPOST_TIME has an invalid value
 */
export function chooseTimes(
  { output, time, utc }: OutputOptions,
  { stdout, env, now }: CliContext,
  { hasExactTimes }: { hasExactTimes?: true } = {},
): Times | null {
  if (stdout.isTTY !== true || output !== 'table') return null;
  const style = time ?? parseTimeStyle(env.TRADEPOST_TIME);
  if (style === 'iso') return null;
  const formatLocal = createLocalFormat(utc ? 'UTC' : env.TZ);
  const relative = (text: string) => formatRelative(Date.parse(text), now());
  const local = (text: string) => {
    const { date, offset } = formatLocal(text);
    return utc ? `${date} UTC` : `${date} ${offset}`;
  };
  const short = (text: string) => (utc ? local(text) : formatLocal(text).date);
  switch (style) {
    case 'relative':
      return guard({ inRow: relative, alone: relative });
    case 'local':
      return guard({ inRow: short, alone: local });
    default:
      return guard({
        inRow: hasExactTimes || utc ? short : relative,
        alone: (text) => `${local(text)} (${relative(text)})`,
      });
  }
}

/** Returns the local times that a spreadsheet in any language takes for times: `2026-11-20 14:05:09`. */
export function createLocalTimes({ utc }: OutputOptions, { env }: Pick<CliContext, 'env'>): Times {
  const formatLocal = createLocalFormat(utc ? 'UTC' : env.TZ);
  const short = (text: string) => formatLocal(text).date;
  return guard({ inRow: short, alone: short });
}

/** Keeps times that have the form of one, and are none. */
function guard({ inRow, alone }: Pick<Times, 'inRow' | 'alone'>): Times {
  const check = (format: (time: string) => string) => (time: string) =>
    Number.isNaN(Date.parse(time)) ? time : format(time);
  return { isTime, inRow: check(inRow), alone: check(alone) };
}

function parseTimeStyle(text = ''): TimeStyle | null {
  if (text === '') return null;
  const style = timeStyles.find((known) => known === text);
  if (style !== undefined) return style;
  throw new CliError(
    'usage',
    `TRADEPOST_TIME has the invalid value '${text}'. Use one of: ${timeStyles.join(', ')}`,
  );
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

let relativeFormat: Intl.RelativeTimeFormat | undefined;

/** Formats a time as its distance from now, in whole units: `3 min ago`, `in 2 hr`, `now`. */
export function formatRelative(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return 'now';
  // The short form of British English has no full stops.
  relativeFormat ??= new Intl.RelativeTimeFormat('en-GB', { style: 'short' });
  return relativeFormat.format(Math.trunc(seconds / unit[1]), unit[0]);
}
