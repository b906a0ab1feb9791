import type { DeliveryStats, WebhookDetails, WebhookExpansions } from '@tradepost/sdk';
import { assertObject } from '../../errors/cli-error';
import { formatNumber } from '../../output/text';
import type { Column } from '../../output/view';

/** A webhook of a list, with its statistics of the last 24 hours if they were requested. */
export interface ListedWebhook extends WebhookDetails {
  delivered?: number;
  failed?: number;
  /** The share of the finished deliveries that were delivered, from 0 to 1. Null if none was finished. */
  successRate?: number | null;
  /** In milliseconds. Null without a response. */
  p95?: number | null;
}

/** The fields of the statistics, in the order of CSV. */
export const statsFields = ['delivered', 'failed', 'successRate', 'p95'] as const;

/** Puts the statistics of a webhook beside its other fields: a spreadsheet and `--fields` need them there. */
export function placeStats(webhook: WebhookDetails & Partial<WebhookExpansions>): ListedWebhook {
  const { stats, ...own } = assertObject(webhook);
  if (stats === undefined) return own;
  const { delivered, failed, latencyMs } = assertObject(stats);
  return {
    ...own,
    delivered,
    failed,
    successRate: computeSuccessRate(stats),
    p95: latencyMs?.p95 ?? null,
  };
}

/**
 * Returns the option that asks for statistics, as errors call it; null if none does.
 *
 * @param options `fields` as the user typed them
 */
export function findStatsOption({
  stats,
  fields,
}: {
  stats?: true;
  fields?: string;
}): string | null {
  if (stats) return '--stats';
  const selected = fields?.split(',').map((field) => field.trim());
  const field = statsFields.find((one) => selected?.includes(one));
  return field === undefined ? null : `${field} in --fields`;
}

const formatOptional = (number: number | null | undefined, unit = '') =>
  number === null || number === undefined ? '-' : `${formatNumber(number)}${unit}`;

const right = { align: 'right', whenNarrow: 'leave-out' } as const;

export const statsColumns: readonly Column<ListedWebhook>[] = [
  {
    title: 'DELIVERED',
    field: 'delivered',
    text: ({ delivered }) => formatOptional(delivered),
    ...right,
  },
  { title: 'FAILED', field: 'failed', text: ({ failed }) => formatOptional(failed), ...right },
  {
    title: 'SUCCESS',
    field: 'successRate',
    text: ({ successRate }) => formatRate(successRate ?? null),
    ...right,
  },
  { title: 'P95', field: 'p95', text: ({ p95 }) => formatOptional(p95, ' ms'), ...right },
];

/**
 * Computes the share of the finished deliveries that were delivered, from 0 to 1 in thousandths, rounded down: with a single failure it
 * is not 1.
 *
 * @returns null if no delivery was finished
 */
export function computeSuccessRate({
  delivered,
  failed,
}: Pick<DeliveryStats, 'delivered' | 'failed'>): number | null {
  const finished = delivered + failed;
  return finished === 0 ? null : Math.floor((delivered / finished) * 1_000) / 1_000;
}

/** Formats a success rate as a percentage. */
export function formatRate(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 1_000) / 10} %`;
}
