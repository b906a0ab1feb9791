import { orderStatuses } from '@tradepost/sdk';
import { places } from '../kernel/places';
import type { SavedView } from '../kernel/preferences';

/** Something that the palette leads to. */
export interface Entry {
  text: string;
  /** The address below the console. */
  href: string;
}

/** Where each kind of ID leads. */
const ofIds: Record<string, { what: string; href: (id: string) => string }[]> = {
  ord: [
    { what: 'Order', href: (id) => `/orders/${id}` },
    { what: 'Deliveries of order', href: (id) => `/deliveries?order=${id}` },
  ],
  whk: [
    { what: 'Webhook', href: (id) => `/webhooks/${id}/health` },
    { what: 'Deliveries to webhook', href: (id) => `/deliveries?webhook=${id}` },
  ],
  dlv: [{ what: 'Delivery', href: (id) => `/deliveries/${id}` }],
  evt: [
    { what: 'Event', href: (id) => `/events/${id}` },
    { what: 'Deliveries of event', href: (id) => `/deliveries?event=${id}` },
  ],
  lst: [{ what: 'Orders of listing', href: (id) => `/orders?listing=${id}` }],
  usr: [
    { what: 'Orders of buyer', href: (id) => `/orders?buyer=${id}` },
    { what: 'Orders of seller', href: (id) => `/orders?seller=${id}` },
  ],
};

const fixed: readonly Entry[] = [
  ...places.map(({ name, to }) => ({ text: name, href: to })),
  ...orderStatuses.map((status) => ({
    text: `Orders: ${status}`,
    href: `/orders?status=${status}`,
  })),
  { text: 'Deliveries: failed', href: '/deliveries?state=failed' },
  { text: 'Deliveries: pending', href: '/deliveries?state=pending' },
  { text: 'Notifications: not read yet', href: '/notifications?read=false' },
];

/** How many of what pages have shown are offered. */
const maxKnown = 8;

/**
 * Returns where a text may lead: what it is an ID of, or else the pages, the saved views, and what is known whose texts have all of its
 * words.
 *
 * @param known What pages have shown: webhooks by their URLs, orders by the names of their parties.
 */
export function findEntries(
  text: string,
  views: readonly SavedView[] = [],
  known: readonly Entry[] = [],
): Entry[] {
  const [id, prefix] = /\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(text) ?? [];
  if (id !== undefined && prefix !== undefined) {
    return (ofIds[prefix] ?? []).map(({ what, href }) => ({
      text: `${what} ${id}`,
      href: href(id),
    }));
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const saved = views.map(({ name, page, query }) => ({ text: name, href: page + query }));
  const matches = (entry: Entry) => words.every((word) => entry.text.toLowerCase().includes(word));
  return [
    ...[...saved, ...fixed].filter(matches),
    ...(words.length === 0 ? [] : known.filter(matches).slice(0, maxKnown)),
  ];
}
