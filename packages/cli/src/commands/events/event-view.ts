import type { EventActor } from '@tradepost/sdk';
import type { View } from '../../output/view';

export interface EventRow {
  id: string;
  event: string;
  createdAt: string;
  /** Absent if the service does not say who caused it. */
  actor?: EventActor | null;
  data: unknown;
}

/** Describes who caused an event; `-` if that is not known. */
export function describeActor({ actor }: Pick<EventRow, 'actor'>): string {
  return actor ? `${actor.kind} ${actor.accountId}` : '-';
}

/** Returns the ID of the order, the listing or the webhook that an event is about. */
function getSubject({ data }: EventRow): string {
  if (typeof data !== 'object') return '-';
  const { orderId, listingId, webhookId }: Partial<Record<string, unknown>> = { ...data };
  return String(orderId ?? listingId ?? webhookId ?? '-');
}

export const eventView: View<EventRow> = {
  fields: ['id', 'event', 'createdAt', 'actor', 'data'],
  columns: [
    { title: 'CREATED', field: 'createdAt' },
    { title: 'EVENT', field: 'event', whenNarrow: 'shorten' },
    { title: 'ABOUT', field: 'data', text: getSubject },
    { title: 'BY', field: 'actor', text: describeActor, whenNarrow: 'leave-out' },
    { title: 'ID', field: 'id', whenNarrow: 'leave-out' },
  ],
};
