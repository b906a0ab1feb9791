import type { Delivery } from '@tradepost/sdk';
import type { View } from '../../output/column';
import type { Look } from '../../output/style';

/** The colour of a delivery's state. */
export function lookOfState(state: string | null): Look | null {
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

/** What came of the last attempt: a status, why there was none, both, or `-`. */
function lastOf({ lastStatus, lastError }: Delivery): string {
  return [lastStatus, lastError].filter((part) => part !== null).join(' ') || '-';
}

/** How deliveries are shown. */
export const deliveryView: View<Delivery> = {
  fields: [
    'id',
    'webhookId',
    'eventId',
    'event',
    'state',
    'test',
    'attempts',
    'lastStatus',
    'lastError',
    'nextAttemptAt',
    'deadlineAt',
    'createdAt',
    'finishedAt',
  ],
  columns: [
    { title: 'ID', field: 'id', text: ({ id }) => id },
    {
      title: 'STATE',
      field: 'state',
      text: ({ state }) => state,
      look: ({ state }) => lookOfState(state),
    },
    { title: 'LAST', field: 'lastStatus', text: lastOf },
    { title: 'EVENT', field: 'event', text: ({ event }) => event, whenNarrow: 'shorten' },
    {
      title: 'ATTEMPTS',
      field: 'attempts',
      text: ({ attempts }) => String(attempts),
      align: 'right',
      whenNarrow: 'leave-out',
    },
    {
      title: 'CREATED',
      field: 'createdAt',
      text: ({ createdAt }) => createdAt,
      whenNarrow: 'leave-out',
    },
    {
      title: 'WEBHOOK',
      field: 'webhookId',
      text: ({ webhookId }) => webhookId,
      whenNarrow: 'leave-out',
    },
  ],
};

/** The fields of a delivery, for help pages. */
export const deliveryShape = `{ ${deliveryView.fields.join(', ')} }`;
