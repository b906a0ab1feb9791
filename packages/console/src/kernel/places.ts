import { Bell, Boxes, Code, House, List, Send, Webhook } from 'lucide-react';
import type { Search } from './search';

/** The pages of the navigation: where, what, the key after `g`, and the extension that each needs. */
export const places = [
  { to: '/', name: 'Overview', key: 'h', icon: House, extension: 'summary' },
  { to: '/orders', name: 'Orders', key: 'o', icon: Boxes, extension: null },
  { to: '/webhooks', name: 'Webhooks', key: 'w', icon: Webhook, extension: null },
  { to: '/deliveries', name: 'Deliveries', key: 'd', icon: Send, extension: 'deliveries' },
  { to: '/events', name: 'Events', key: 'e', icon: List, extension: 'events' },
  { to: '/notifications', name: 'Notifications', key: 'n', icon: Bell, extension: null },
  { to: '/developer', name: 'Developer', key: 'v', icon: Code, extension: null },
] as const;

/** A page of the navigation. */
export type Place = (typeof places)[number];

/** A page that lists what others show one of. */
export type ListPath = '/orders' | '/webhooks' | '/deliveries' | '/events';

const lastSearches = new Map<string, Search>();

/** Remembers the filters of a page, so that one returns to the list that one came from. */
export function noteSearch(path: string, search: Search): void {
  lastSearches.set(path, search);
}

/** Returns the filters that a list had when it was last shown. */
export function getLastSearch(path: ListPath): Search {
  return lastSearches.get(path) ?? {};
}
