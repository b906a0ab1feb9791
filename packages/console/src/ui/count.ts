import type { SummaryCount } from '@tradepost/sdk';

/** Writes a count; one that is only a lower bound with a plus. */
export function formatCount({ count, atLeast }: SummaryCount): string {
  return `${count.toLocaleString('en')}${atLeast ? '+' : ''}`;
}
