import {
  allEventTypes,
  type EventType,
  maxReasonLength,
  type OrderExpansion,
  type OrderSort,
  orderQuantity,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../context';
import { CliError, InvalidArgument } from '../errors/cli-error';
import { escapeControlChars } from '../output/text';
import { createLocalFormat, fromLocal } from './local-time';

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;

export type OutputFormat = (typeof outputFormats)[number];

export const timeStyles = ['relative', 'local', 'iso'] as const;

export type TimeStyle = (typeof timeStyles)[number];

export const separators = [',', ';', 'tab'] as const;

export interface OutputOptions {
  output: OutputFormat;
  excel?: true;
  separator?: (typeof separators)[number];
  fields?: string;
  jq?: string;
  time?: TimeStyle;
  /** Whether local times are those of UTC. */
  utc?: true;
}

export interface ConnectionOptions {
  profile?: string;
  baseUrl?: string;
  debug?: string;
}

export interface PagerOptions {
  pager?: boolean;
}

export interface GlobalOptions extends OutputOptions, PagerOptions, ConnectionOptions {}

export const yesOption = ['-y, --yes', 'do not ask for confirmation'] as const;

export const verboseOption = [
  '-v, --verbose',
  'show all rows on a terminal, not only failures',
] as const;

const defaultLimit = 50;

/** The largest page that the service sends. Source: the API specification, "Pagination". */
export const maxPageSize = 100;

export const maxCount = 999_999_999;

export interface PaginationOptions {
  limit?: number;
  all?: true;
  failIfTruncated?: true;
}

export function addPaginationOptions(command: Command, noun: string): Command {
  return command
    .option('--limit <n>', `show at most <n> ${noun} (default: ${defaultLimit})`, parseCount)
    .option('--fail-if-truncated', 'exit with code 8 if there are more')
    .addOption(command.createOption('--all', `show all ${noun}`).conflicts('limit'));
}

export function getLimit({ all, limit = defaultLimit }: PaginationOptions): number {
  return all ? Number.POSITIVE_INFINITY : limit;
}

export function getPageSize(options: PaginationOptions): number {
  return Math.min(getLimit(options), maxPageSize);
}

/**
 * The resources by the prefix of their IDs. Source: the API specification, "Resources and their fields";
 * webhooks, deliveries, events and keys are extensions.
 */
export const nouns = {
  ord: 'order',
  ntf: 'notification',
  lst: 'listing',
  usr: 'account',
  whk: 'webhook',
  dlv: 'delivery',
  evt: 'event',
  key: 'API key',
} as const;

export type IdPrefix = keyof typeof nouns;

/** Whether a text can be an ID. Such a text cannot lead to another path, and fits into a CSV row. */
export function isId(text: string, prefix: IdPrefix): boolean {
  return text.startsWith(`${prefix}_`) && /^\w{3}_[\w.~=+:-]{1,196}$/.test(text);
}

/**
 * Parses an ID. White space at its ends, which is copied with it, is removed.
 *
 * @throws {InvalidArgument} for a text that cannot be an ID
 */
export function parseId(text: string, ...prefixes: IdPrefix[]): string {
  const id = text.trim();
  const isKnown = (one: string) => prefixes.some((prefix) => isId(one.trim(), prefix));
  if (isKnown(id)) return id;
  const areSeveral = id.includes(',') && id.split(',').every(isKnown);
  throw new InvalidArgument(
    areSeveral
      ? 'Separate IDs with spaces, not with commas.'
      : `IDs of this type begin with ${prefixes.join('_ or ')}_.`,
  );
}

export function addId(command: Command, prefix: IdPrefix): Command {
  return command.argument('<id>', `${nouns[prefix]} ID, ${prefix}_…`, (text) =>
    parseId(text, prefix),
  );
}

export function addIds(command: Command, prefix: IdPrefix): Command {
  const parse = (text: string, before: string[] = []) => [...before, parseId(text, prefix)];
  return command.argument('[id...]', `${nouns[prefix]} IDs, ${prefix}_…`, parse);
}

/** Creates a parser for integers within bounds, both included. */
export function integerParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgument(
      max < maxCount || number > max
        ? `Use an integer from ${min} to ${max}.`
        : `Use an integer of at least ${min}.`,
    );
  };
}

export const parseCount = integerParser(1, maxCount);

/** The number of units of an order. Source: the contract, `orderQuantity`. */
const parseQuantity = integerParser(orderQuantity.min, orderQuantity.max);

/** Parses a quantity, or a range of them: `17`, `17..23`, `17..`, `..23`. */
export function parseQuantities(text: string): { minQuantity?: number; maxQuantity?: number } {
  const [min = '', max = min, ...more] = text.split('..');
  const range = {
    ...(min !== '' && { minQuantity: parseQuantity(min) }),
    ...(max !== '' && { maxQuantity: parseQuantity(max) }),
  };
  if (Number(range.minQuantity) > Number(range.maxQuantity)) {
    throw new InvalidArgument(`Use a range from the smaller to the larger: ${max}..${min}.`);
  }
  if (more.length === 0 && Object.keys(range).length > 0) return range;
  throw new InvalidArgument('Use a quantity or a range, such as 17, 17..23, 17.. or ..23.');
}

export const reconnectTimeoutOption = [
  '--reconnect-timeout <seconds>',
  'how long to retry when the service is unreachable',
  integerParser(0, 86_400),
  300,
] as const;

/**
 * Parses the reason of a change. White space at its ends is removed. Source: the contract, `UpdateOrder`.
 *
 * @returns 1 to 500 characters on one line
 */
export function parseReason(text: string): string {
  const reason = text.trim();
  const { length } = [...reason];
  if (length > 0 && length <= maxReasonLength && escapeControlChars(reason) === reason)
    return reason;
  throw new InvalidArgument(`Use 1 to ${maxReasonLength} visible characters on one line.`);
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type Unit = keyof typeof unitMs;

/**
 * Parses a duration such as `30s`, `5m` or `1h`.
 *
 * @returns milliseconds, from a second to 24 hours
 */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const duration = Number(count) * unitMs[unit as Unit];
  if (duration >= 1000 && duration <= 24 * unitMs.h) return duration;
  throw new InvalidArgument('Use a duration such as 30s, 5m or 1h, up to 24h.');
}

/**
 * Parses how long an API key is valid, such as `90d`, `12h` or `30m`. Source: the contract, `CreateKey`.
 *
 * @returns seconds, from a minute to ten years
 */
export function parseLifetime(text: string): number {
  const [, count, unit] = /^(\d{1,7})(m|h|d|w)$/.exec(text) ?? [];
  const seconds = (Number(count) * unitMs[unit as Unit]) / 1000;
  if (seconds >= 60 && seconds <= 315_360_000) return seconds;
  throw new InvalidArgument('Use a duration such as 30m, 12h, 90d or 52w, up to 3650d.');
}

/**
 * Parses a rate such as `5/s` or `30/m`.
 *
 * @returns milliseconds between two starts
 */
export function parseRate(text: string): number {
  const [, count, unit] = /^(\d{1,4})\/([sm])$/.exec(text) ?? [];
  const interval = unitMs[unit as Unit] / Number(count);
  if (interval >= 1 && interval < Number.POSITIVE_INFINITY) return interval;
  throw new InvalidArgument('Use a rate per second or minute, such as 5/s or 30/m.');
}

/** The option of bulk commands that limits their rate. Its value is in milliseconds between two starts. */
export const rateOption = [
  '--rate <rate>',
  'maximum rate per second or minute, such as 30/m',
  parseRate,
] as const;

/** The rule for all times that commands take. */
export const timeNote =
  '<time> is an age (45s, 30m, 6h, 2d, 1w), a day (today, yesterday, tuesday, 2026-11-20) or a time (2026-11-20T09:30). Days and times without offset are local, or with --utc in UTC. A weekday is the latest one, today included. --until with a day includes that day.';

const timeRule =
  'Use an age such as 45s, 30m, 6h, 2d or 1w, a day such as today, tuesday or 2026-11-20, or a time such as 2026-11-20T09:30 or 2026-11-20T09:30:00Z.';

/** Beyond these, ISO 8601 needs a sign and six digits for the year, which no service expects. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

type TimeContext = Pick<CliContext, 'now' | 'env'>;

/**
 * Parses a time by the rule of `timeNote`.
 *
 * @param isEnd whether a day stands for its end rather than for its start
 * @returns ISO 8601, UTC, with milliseconds, in the years 1 to 9999
 */
export function parseTime(text: string, context: TimeContext, isEnd = false): string {
  const age = /^(\d{1,9})([smhdw])$/.exec(text);
  if (age !== null) return toIso(context.now() - Number(age[1]) * unitMs[age[2] as Unit]);
  const named = findNamedDay(text.toLowerCase(), context);
  const [, date, clock, offset] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:\d\d)?)?$/i.exec(
      text,
    ) ?? [];
  const day = named ?? (date === undefined ? null : parseDay(date));
  if (day === null) throw new InvalidArgument(timeRule);
  if (clock === undefined) return toIso(fromLocal(isEnd ? day + unitMs.d : day, context.env.TZ));
  const time = Date.parse(`${date}T${clock}${offset?.toUpperCase() ?? 'Z'}`);
  return toIso(offset === undefined ? fromLocal(time, context.env.TZ) : time);
}

/** Returns the day that a word names, as its start in UTC; null if it names none. */
function findNamedDay(word: string, { now, env }: TimeContext): number | null {
  const weekday = weekdays.indexOf(word);
  const age = ['today', 'yesterday'].indexOf(word);
  if (weekday < 0 && age < 0) return null;
  const { date } = createLocalFormat(env.TZ)(new Date(now()).toISOString());
  const today = Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
  const daysAgo = age >= 0 ? age : (new Date(today).getUTCDay() - weekday + 7) % 7;
  return today - daysAgo * unitMs.d;
}

function parseDay(date: string): number {
  const start = Date.parse(`${date}T00:00:00Z`);
  // `Date.parse` takes 30 February for 2 March.
  if (!Number.isNaN(start) && new Date(start).toISOString().startsWith(date)) return start;
  throw new InvalidArgument(`${date} is not a valid date.`);
}

function toIso(time: number): string {
  if (Number.isNaN(time)) throw new InvalidArgument(timeRule);
  if (time >= earliest && time <= latest) return new Date(time).toISOString();
  throw new InvalidArgument('Use a time in the years 1 to 9999.');
}

/** @throws {CliError} `usage` for a period without any time */
export function checkPeriod(since: string | undefined, until: string | undefined) {
  if (since === undefined || until === undefined || Date.parse(since) < Date.parse(until)) return;
  const message = `--since (${since}) is not before --until (${until})`;
  throw new CliError('usage', message, 'Use an earlier --since or a later --until.');
}

export function timeParser(context: CliContext): (text: string) => string {
  return (text) => parseTime(text, context);
}

/** Creates a parser for `--until`, which is exclusive: a day stands for its end. */
export function untilParser(context: CliContext): (text: string) => string {
  return (text) => parseTime(text, context, true);
}

interface Repeatable {
  isRepeatable: true;
}

/**
 * Marks the parser of an option that takes several values. Any other option with a value is rejected when it is
 * given twice.
 *
 * @param parse gets what it returned for the values before
 */
export function repeatable<Parse extends (text: string, before?: never) => unknown>(
  parse: Parse,
): Parse & Repeatable {
  return Object.assign(parse, { isRepeatable: true } as const);
}

export function isRepeatable(parse: unknown): boolean {
  return typeof parse === 'function' && 'isRepeatable' in parse;
}

/**
 * Creates a parser for names, separated by commas or in several options, each returned once: for
 * `--status pending,confirmed` and `--status pending --status confirmed`.
 */
export function listParser<Choice extends string>(choices: readonly Choice[], noun: string) {
  const parse = (text: string, before: readonly Choice[] = []): Choice[] => {
    const parts = text.split(',').map((part) => part.trim());
    const names = parts.map((name) => {
      const choice = choices.find((known) => known === name);
      if (choice !== undefined) return choice;
      // The option's error has the text already.
      const which = parts.length > 1 ? `Invalid ${noun} '${name}'. ` : '';
      throw new InvalidArgument(`${which}Use: ${choices.join(', ')}.`);
    });
    return [...new Set([...before, ...names])];
  };
  return repeatable(withValues(parse, () => choices, { isList: true }));
}

export const orderSorts = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'updatedAt',
] as const satisfies readonly OrderSort[];

export const orderExpansions = [
  'buyer',
  'seller',
  'agent',
  'listing',
] as const satisfies readonly OrderExpansion[];

export function eventsOption(what = 'event types') {
  const description = `${what}, separated by commas: ${allEventTypes.join(', ')}`;
  return [
    '--events <types>',
    description,
    listParser<EventType>(allEventTypes, 'event type'),
  ] as const;
}

interface CompletionValues {
  values: () => readonly string[];
  isList?: boolean;
}

export function withValues<Parse extends (text: string, before?: never) => unknown>(
  parse: Parse,
  values: () => readonly string[],
  { isList = false }: { isList?: boolean } = {},
): Parse & CompletionValues {
  return Object.assign(parse, { values, isList });
}

/** Returns the values that `withValues` attached to a parser; null without any. */
export function getValues(parse: unknown): Required<CompletionValues> | null {
  if (typeof parse !== 'function' || !('values' in parse)) return null;
  const { values, isList } = parse as unknown as Required<CompletionValues>;
  return { values, isList };
}

const fieldsOfCommands = new WeakMap<Command, readonly string[]>();

/** Records what `--fields` of a command selects among, for shell completion and suggestions. */
export function setFields(command: Command, fields: readonly string[]): void {
  fieldsOfCommands.set(command, fields);
}

/** Returns what `--fields` of a command selects among; empty for a command that is not loaded. */
export function getFields(command: Command): readonly string[] {
  return fieldsOfCommands.get(command) ?? [];
}
