import { readFileSync } from 'node:fs';
import { hiddenCharacters } from '@tradepost/contract/hidden-characters';
import { keyLifetime } from '@tradepost/contract/wire';
import { InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { describeDatabase, findDatabaseFault, isPostgresUrl } from '../stores/database-url';
import { OperatorError, UsageError } from './operator-error';

/** Returns a parser for integers from `min` to `max`. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Returns a parser for integers from `min` to `max`, and for `default`. */
export function parseIntegerOrDefault(
  min: number,
  max: number,
): (text: string) => number | 'default' {
  const parse = parseInteger(min, max);
  return (text) => {
    if (text === 'default') return text;
    try {
      return parse(text);
    } catch {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}, or default.`);
    }
  };
}

const unitLengths: Record<string, number> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses a duration such as `90d`, `12h` or `30m` to milliseconds. */
function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const length = unitLengths[unit ?? ''];
  if (length === undefined) {
    throw new InvalidArgumentError(
      'It must be a duration such as 90d, 12h or 30m, from 1 to 999999 of one unit.',
    );
  }
  return Number(count) * length;
}

/**
 * Parses how long an API key is valid, such as `90d`, `12h` or `30m`. Source: the contract, `CreateKey`.
 *
 * @returns Milliseconds, from a minute to ten years.
 */
export function parseLifetime(text: string): number {
  const [, count, unit] = /^(\d{1,7})(m|h|d|w)$/.exec(text) ?? [];
  const seconds = (Number(count) * (unitLengths[unit ?? ''] ?? 0)) / 1_000;
  if (seconds >= keyLifetime.min && seconds <= keyLifetime.max) return seconds * 1_000;
  const longest = (keyLifetime.max * 1_000) / 86_400_000;
  throw new InvalidArgumentError(
    `It must be a duration such as 30m, 12h, 90d or 52w, up to ${longest}d.`,
  );
}

/**
 * Parses the start of a time range: a timestamp such as `2026-01-15T09:00:00Z`, or a duration before now such as `24h`.
 *
 * @returns Milliseconds since 1970.
 */
export function parseSince(text: string): number {
  if (/^\d+[mhd]$/.test(text)) return Date.now() - parseDuration(text);
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError(
    'It must be a time with its zone such as 2026-01-15T09:00:00Z, or a duration before now such as 90d, 12h or 30m.',
  );
}

/** Parses the origins of web pages, separated by commas. */
export function parseOrigins(text: string): string[] {
  const origins = text.split(',').map((one) => one.trim());
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin)) {
      throw new InvalidArgumentError(
        `${JSON.stringify(origin)} is not an origin: use a scheme, a host and possibly a port, such as https://app.example, or *.`,
      );
    }
  }
  return origins;
}

/** What Express calls some subnets: 127.0.0.0/8 and ::1; 169.254.0.0/16 and fe80::/10; private ones and fc00::/7. */
const namedSubnets = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isAddress(text: string): boolean {
  // ipaddr.js also accepts forms such as 10 for 0.0.0.10, and zones, which Express does not.
  return (
    ipaddr.IPv4.isValidFourPartDecimal(text) || (!text.includes('%') && ipaddr.IPv6.isValid(text))
  );
}

function isSubnet(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  return (
    rest.length === 0 &&
    isAddress(address) &&
    /^(0|[1-9]\d*)$/.test(bits) &&
    ipaddr.isValidCIDR(text)
  );
}

/** All IPv4 addresses as IPv6 addresses. Source: RFC 4291, section 2.5.5.2. */
const mappedAddresses = { first: ipaddr.parse('::ffff:0.0.0.0'), bits: 96 };

/** Returns whether a subnet has all IPv4 addresses, also as IPv6 addresses, or all IPv6 addresses. */
function hasAllAddresses(subnet: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(subnet);
  if (bits === 0) return true;
  return (
    address.kind() === 'ipv6' &&
    bits <= mappedAddresses.bits &&
    mappedAddresses.first.match(address, bits)
  );
}

/** Parses the addresses and subnets of trusted proxies, separated by commas. */
export function parseProxies(text: string): string[] {
  const proxies = text.split(',').map((one) => one.trim());
  for (const proxy of proxies) {
    if (namedSubnets.has(proxy) || isAddress(proxy)) continue;
    if (!isSubnet(proxy)) {
      throw new InvalidArgumentError(
        `${JSON.stringify(proxy)} is not an address such as 10.0.0.5, a subnet such as 10.0.0.0/8, or loopback, linklocal or uniquelocal.`,
      );
    }
    if (hasAllAddresses(proxy)) {
      throw new InvalidArgumentError(
        `${JSON.stringify(proxy)} is a subnet of all addresses, which is not allowed: every client would be believed.`,
      );
    }
  }
  return proxies;
}

/** Parses a boolean. In the environment it has a value, and `false` must not mean true. */
export function parseBoolean(text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0' || text === '') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

/** The longest display name, in characters. */
const maxNameLength = 200;

/** Parses a display name. */
export function parseName(text: string): string {
  if (text.trim() === '' || hiddenCharacters.test(text)) {
    throw new InvalidArgumentError(
      'It must not be empty or contain control characters, or others that nobody sees.',
    );
  }
  if ([...text].length > maxNameLength) {
    throw new InvalidArgumentError(`It must not be longer than ${maxNameLength} characters.`);
  }
  return text;
}

/** The most units that a listing may have. */
export const maxQuantity = 1_000_000_000;

/** Parses the units of a listing: an integer from 0. */
export const parseQuantity = parseInteger(0, maxQuantity);

/** Parses the path of a file, which may not exist. */
export function parseFile(text: string): string {
  if (text.trim() === '') {
    throw new InvalidArgumentError('It must not be empty. Check for an empty variable.');
  }
  return text;
}

/**
 * Reads the file of an option.
 *
 * @throws OperatorError that names the option and the file.
 */
export function readOptionFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node names the file only in some of its messages, such as "ENOENT: no such file or directory, open 'key.pem'".
    const reason = message.replace(/, \w+( '.*')?$/s, '');
    throw new OperatorError(`Cannot read ${flag} ${file}: ${reason}.`);
  }
}

/**
 * Parses a database: a path, or the URL of a PostgreSQL database.
 *
 * @param option What the message calls it.
 * @throws UsageError for anything else, which as a path would be a new file. The message does not show it, as that of an
 *   `InvalidArgumentError` would: it may have a password anywhere.
 */
export function parseDatabase(text: string, option: string): string {
  const fault =
    text.trim() === ''
      ? 'It must not be empty. Check for an empty variable.'
      : findDatabaseFault(text);
  if (fault !== null) throw new UsageError(`${option} is not valid. ${fault}`);
  return text;
}

/** The `--database` option of every command: of a database that exists, or is created. */
export function databaseOption({ mustExist = false } = {}): Option {
  const what = mustExist ? 'must exist' : 'created if it does not exist';
  return new Option('--database <database>', `SQLite file (${what}) or postgres:// URL`)
    .env('TRADEPOST_DATABASE')
    .default('./tradepost.db')
    .argParser((text) => parseDatabase(text, '--database (TRADEPOST_DATABASE)'));
}

/**
 * Checks that a database is a file, for commands that have no meaning for others.
 *
 * @param instead What to do with PostgreSQL.
 * @throws UsageError
 */
export function requireDatabaseFile(database: string, instead: string): void {
  if (!isPostgresUrl(database)) return;
  throw new UsageError(
    `This command works with SQLite files, not with ${describeDatabase(database)}. ${instead}`,
  );
}

/** The `--force` option of commands that write a file. */
export function forceOption(): Option {
  return new Option('--force', 'replace an existing file, unless a server uses it');
}

/** The `--yes` option of commands that cannot be undone. */
export function yesOption(): Option {
  return new Option('--yes', 'do it; without this option the command only says what it would do');
}

/**
 * Requires `--yes`.
 *
 * @param consequence What the command does: the beginning of a sentence.
 * @throws UsageError without it. Nothing was done.
 */
export function requireYes({ yes }: { yes?: boolean }, consequence: string): void {
  if (yes) return;
  throw new UsageError(`${consequence}, which cannot be undone. Pass --yes to do it.`);
}

/** The option for the file with the secret keys, for commands that read or write endpoint secrets. */
export function secretKeyFileOption(): Option {
  return new Option(
    '--secret-key-file <file>',
    'file with the keys that encrypt endpoint secrets, the newest first; or set TRADEPOST_SECRET_KEY to the keys',
  )
    .env('TRADEPOST_SECRET_KEY_FILE')
    .argParser(parseFile);
}

/** The `--json` option, for scripts. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document on stdout');
}
