import type { View } from '../../output/view';

export interface EventRow {
  id: string;
  event: string;
  createdAt: string;
  data: unknown;
}

/** Returns the ID of the order or the listing that an event is about. */
function getSubject({ data }: EventRow): string {
  if (typeof data !== 'object') return '-';
  const { orderId, listingId }: { orderId?: unknown; listingId?: unknown } = { ...data };
  return String(orderId ?? listingId ?? '-');
}

export const eventView: View<EventRow> = {
  fields: ['id', 'event', 'createdAt', 'data'],
  columns: [
    { title: 'CREATED', field: 'createdAt' },
    { title: 'EVENT', field: 'event', whenNarrow: 'shorten' },
    { title: 'ABOUT', field: 'data', text: getSubject },
    { title: 'ID', field: 'id', whenNarrow: 'leave-out' },
  ],
};
