import type { Search } from './search';

/** A filter of a list: what it is called in the address, in the API and in the command. */
export interface FilterField {
  /** The search parameter of the address. */
  name: string;
  /** The property of the SDK's parameters. */
  param: string;
  /** The option of the command. */
  option: string;
  /**
   * `list`: several values, separated by commas; `time`: a time, or how long ago it is; `after`: the same for a parameter that
   * excludes the time itself, as the option of the command does not.
   */
  kind?: 'list' | 'time' | 'after';
}

/** The values of filters, as they are in an address. */
export type FilterValues<Name extends string = string> = { [One in Name]?: string | undefined };

const unitMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Other times are not written with four digits of the year, and neither fields nor the service know them. */
const minTime = Date.parse('0001-01-01T00:00:00Z');
const maxTime = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a time of an address.
 *
 * @param text ISO 8601, or how long ago it is: `15m`, `24h`, `7d`
 * @returns null if it is neither, or no time of the years 1 to 9999
 */
export function readTime(text: string, now: number): Date | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (unitMs[unit] ?? 0);
  return time > minTime && time <= maxTime ? new Date(time) : null;
}

/** Whether a period ends before it begins, so that nothing can be in it. */
export function isBackwards(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now = Date.now(),
): boolean {
  const [start, end] = [from, to].map((time) => (time === undefined ? null : readTime(time, now)));
  return start != null && end != null && start > end;
}

/** Lists the filters that have a value. */
function given<Field extends FilterField>(
  fields: readonly Field[],
  values: Search,
): [Field, string][] {
  return fields.flatMap((field) => {
    const value = values[field.name];
    return value === undefined || value === '' ? [] : [[field, value] as [Field, string]];
  });
}

/** Turns the filters of an address into parameters of the SDK. A value that is not a time stays as it is: the service says what is wrong. */
export function toParams(
  fields: readonly FilterField[],
  values: FilterValues,
  now = Date.now(),
): Record<string, unknown> {
  return Object.fromEntries(
    given(fields, values as Search).flatMap(([{ param, kind }, value]): [string, unknown][] => {
      if (kind === 'list') return [[param, value.split(',').filter(Boolean)]];
      if (kind === undefined) return [[param, value]];
      const time = readTime(value, now)?.getTime();
      if (time === undefined) return [[param, value]];
      return [[param, new Date(kind === 'after' ? time - 1 : time).toISOString()]];
    }),
  );
}

/** Turns the filters of an address into options of the command. */
export function toOptions(fields: readonly FilterField[], values: FilterValues): string[] {
  return given(fields, values as Search).flatMap(([{ option }, value]) =>
    // An option whose value may begin with a hyphen.
    value.startsWith('-') ? [`${option}=${value}`] : [option, value],
  );
}

/** Writes parameters as the argument of a call; an empty text if there are none. */
export function toArgument(params: object): string {
  return Object.keys(params).length === 0 ? '' : JSON.stringify(params);
}
