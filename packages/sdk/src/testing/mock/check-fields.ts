import type { ProblemIssue } from '@tradepost/contract/wire';

/** Checks a value. Returns what is wrong with it, with paths below `path`. */
export type Check = (value: unknown, path: string) => ProblemIssue[];

/** The fields of an object, in the order of the contract. */
export type Fields = Readonly<Record<string, { check: Check; optional?: boolean }>>;

/** Unknown names are shortened, as by the service. */
const maxNameLength = 64;

function issue(value: unknown, path: string, message: string): ProblemIssue[] {
  return [{ path, message: value === undefined ? `is required and ${message}` : message }];
}

/** Makes a check from a function that returns what is wrong, or null. */
export function createCheck(find: (value: unknown) => string | null): Check {
  return (value, path) => {
    const message = find(value);
    return message === null ? [] : issue(value, path, message);
  };
}

/**
 * Checks for one of several texts.
 *
 * @param instead what else is accepted: several of them with commas between
 */
export function createEnumCheck(values: readonly string[], instead = ''): Check {
  return createCheck((value) =>
    (instead ? `${value}`.split(',') : [value]).every((one) => values.includes(one as string))
      ? null
      : `must be one of ${values.join(', ')}${instead}`,
  );
}

/** Checks for one or several texts with commas between. */
export function createCommaListCheck(values: readonly string[]): Check {
  return createEnumCheck(values, ', or several with commas');
}

/** Checks for a text that matches a pattern. */
export function createPatternCheck(pattern: RegExp, message: string): Check {
  return createCheck((value) =>
    typeof value === 'string' && pattern.test(value) ? null : message,
  );
}

/** Checks an ID in a body or a query. */
export function createIdCheck(prefix: string, noun: string): Check {
  return createPatternCheck(
    new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`),
    `must be ${noun} ID (${prefix}_<id>)`,
  );
}

/** Checks an integer in a query, both bounds inclusive. */
export function createQueryIntegerCheck({ min, max }: { min: number; max: number }): Check {
  return createCheck((value) => {
    const isInRange = /^\d+$/.test(String(value)) && Number(value) >= min && Number(value) <= max;
    return isInRange && typeof value === 'string'
      ? null
      : `must be an integer from ${min} to ${max}`;
  });
}

/** Checks an integer in a body, both bounds inclusive. */
export function createIntegerCheck({ min, max }: { min: number; max: number }): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) return issue(value, path, 'must be an integer');
    return [
      ...(Number.isSafeInteger(value) ? [] : issue(value, path, 'must be an integer')),
      ...(Number(value) < min ? issue(value, path, `must be at least ${min}`) : []),
      ...(Number(value) > max ? issue(value, path, `must be at most ${max}`) : []),
    ];
  };
}

/** Checks a list of different texts. */
export function createListCheck(values: readonly string[], noun: string): Check {
  const checkItem = createEnumCheck(values);
  return (list, path) => {
    if (!Array.isArray(list)) return issue(list, path, `must be a list of ${noun}s`);
    const issues = list.flatMap((item, index) => checkItem(item, `${path}.${index}`));
    if (issues.length > 0) return issues;
    if (list.length === 0) return issue(list, path, `must have at least one ${noun}`);
    return new Set(list).size < list.length
      ? issue(list, path, `must have each ${noun} only once`)
      : [];
  };
}

/**
 * Rewrites the forms of RFC 3339 that JavaScript does not parse: lower case, a space instead of `T`, an offset
 * without its colon, and a leap second.
 */
function normalizeTime(text: string): string {
  return text
    .replace(/^(\d{4}-\d\d-\d\d)[t ]/, '$1T')
    .replace(/z$/, 'Z')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
    .replace(/:59:60(\.\d+)?(?=Z|[+-])/, ':59:59.999');
}

/** Parses a timestamp of a query to milliseconds since 1970. `NaN` for none, with which no comparison is true. */
export function parseTime(text = ''): number {
  return Date.parse(normalizeTime(text));
}

const timePattern =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Checks a timestamp with an offset. */
export const checkTimestamp: Check = createCheck((value) => {
  const text = typeof value === 'string' ? normalizeTime(value) : '';
  // `Date` accepts 30 February; formatting the day again finds it.
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return timePattern.test(text) && !Number.isNaN(+date) && date.toISOString().startsWith(day)
    ? null
    : 'must be an ISO 8601 timestamp with seconds and an offset, such as 2026-11-21T09:30:00Z (encode + as %2B in a URL)';
});

/** Checks an object with these fields and no others. */
export function checkObject(
  value: unknown,
  fields: Fields,
  noun: 'field' | 'query parameter',
): ProblemIssue[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return issue(value, '', 'must be a JSON object');
  }
  const object = value as Readonly<Record<string, unknown>>;
  const known = Object.keys(fields);
  const issues = Object.entries(fields).flatMap(([name, { check, optional }]) =>
    optional && !Object.hasOwn(object, name) ? [] : check(object[name], name),
  );
  const message =
    known.length === 0
      ? `unknown ${noun}; this endpoint takes none`
      : `unknown ${noun}; known: ${known.join(', ')}`;
  const unknown = Object.keys(object).filter((name) => !known.includes(name));
  return [
    ...issues,
    ...unknown.map((name) => ({ path: name.slice(0, maxNameLength) || '""', message })),
  ];
}
