import type { Delivery } from '@tradepost/sdk';
import { explainFailure } from '@tradepost/sdk/explain';
import type { StyleName } from '../../output/text';
import type { View } from '../../output/view';

export function getStateStyle(state: string | null): StyleName | null {
  switch (state) {
    case 'delivered':
      return 'green';
    case 'failed':
      return 'red';
    case 'pending':
      return 'yellow';
    default:
      return null;
  }
}

/** Formats how an attempt ended; `-` if there was none. */
export function formatLastAttempt({
  lastStatus = null,
  lastError = null,
}: Pick<Delivery, 'lastStatus' | 'lastError'>): string {
  return [lastStatus, lastError].filter((part) => part !== null).join(' ') || '-';
}

/** Says why a delivery has failed for good, as the second half of a sentence. */
export function formatFailure(delivery: Delivery): string {
  if (delivery.attemptCount === 0) return 'it expired before the first attempt';
  return explainFailure(delivery)?.reason ?? 'unknown reason';
}

export const deliveryView: View<Delivery> = {
  fields: [
    'id',
    'webhookId',
    'eventId',
    'event',
    'orderId',
    'state',
    'test',
    'attemptCount',
    'lastStatus',
    'lastError',
    'nextAttemptAt',
    'deadlineAt',
    'createdAt',
    'finishedAt',
  ],
  columns: [
    { title: 'ID', field: 'id' },
    { title: 'STATE', field: 'state', style: ({ state }) => getStateStyle(state) },
    // The first `timeout` may be on a later page.
    { title: 'LAST', field: 'lastStatus', minWidth: 7, text: formatLastAttempt },
    { title: 'EVENT', field: 'event', whenNarrow: 'shorten' },
    { title: 'ATTEMPTS', field: 'attemptCount', align: 'right', whenNarrow: 'leave-out' },
    { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
    { title: 'WEBHOOK', field: 'webhookId', whenNarrow: 'leave-out' },
  ],
};
