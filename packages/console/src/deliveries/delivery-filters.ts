import type { FilterField, FilterValues } from '../kernel/filters';

/** The filters of the list of deliveries. */
export const deliveryFields = [
  { name: 'webhook', param: 'webhookId', option: '--webhook' },
  { name: 'event', param: 'eventId', option: '--event-id' },
  { name: 'order', param: 'orderId', option: '--order' },
  { name: 'type', param: 'event', option: '--event' },
  { name: 'state', param: 'state', option: '--state' },
  { name: 'status', param: 'statusClass', option: '--status-class' },
  { name: 'from', param: 'since', option: '--since', kind: 'time' },
  { name: 'to', param: 'until', option: '--until', kind: 'time' },
] as const satisfies readonly FilterField[];

/** Their values, as they are in the address of the list. */
export type DeliveryFilters = FilterValues<(typeof deliveryFields)[number]['name']>;
