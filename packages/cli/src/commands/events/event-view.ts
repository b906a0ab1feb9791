import type { View } from '../../output/column';

/** An event as a row. */
export interface EventRow {
  /** `evt_<id>`. */
  id: string;
  /** Its kind. */
  event: string;
  /** When it happened: ISO 8601, UTC. */
  createdAt: string;
  /** What happened. */
  data: unknown;
}

/** The id of what an event is about: its order, else its listing. */
function subjectOf({ data }: EventRow): string {
  if (typeof data !== 'object') return '-';
  const { orderId, listingId }: { orderId?: unknown; listingId?: unknown } = { ...data };
  return String(orderId ?? listingId ?? '-');
}

/** How events are shown. */
export const eventView: View<EventRow> = {
  fields: ['id', 'event', 'createdAt', 'data'],
  columns: [
    { title: 'CREATED', field: 'createdAt', text: ({ createdAt }) => createdAt },
    { title: 'EVENT', field: 'event', text: ({ event }) => event, whenNarrow: 'shorten' },
    { title: 'ABOUT', field: 'data', text: subjectOf },
    { title: 'ID', field: 'id', text: ({ id }) => id, whenNarrow: 'leave-out' },
  ],
};

/** The fields of an event, for help pages. */
export const eventShape = `{ ${eventView.fields.join(', ')} }`;
