import * as z from 'zod';

/** A whole number in a query, within bounds that both count: digits as sent, a number once read. */
export function countSchema({ min, max }: { min: number; max: number }) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.preprocess(
    (value: number | string) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
}
