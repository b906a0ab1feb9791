import type { SummaryCount } from '@tradepost/sdk';

/** Writes a number of things with what they are: `1 order`, `2 orders`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Writes a count; one that is only a lower bound with a plus. */
export function formatCount({ count, atLeast }: SummaryCount): string {
  return `${count.toLocaleString('en')}${atLeast ? '+' : ''}`;
}
