import { endpoints } from '@tradepost/contract/wire';

/** The name of an endpoint: its keys in the contract's `endpoints`. */
export type Route =
  | `orders.${keyof typeof endpoints.orders}`
  | `notifications.${keyof typeof endpoints.notifications}`
  | `webhooks.${keyof typeof endpoints.webhooks}`
  | `deliveries.${keyof typeof endpoints.deliveries}`
  | `events.${keyof typeof endpoints.events}`
  | `keys.${keyof typeof endpoints.keys}`
  | 'signInCodes.create'
  | 'sessions.create'
  | 'partners.list'
  | 'account.get'
  | 'summary.get';

/** A request to the API. The model's have placeholders where the sent ones have values. */
export interface Call {
  /** The API key; null to send none. */
  apiKey: string | null;
  route: Route;
  /** The ID in the path. */
  id?: string;
  query?: Record<string, string | number | boolean>;
  idempotencyKey?: string;
  ifMatch?: string;
  body?: unknown;
}

/** Returns the method and the path of a call. */
export function describeRoute({ route, id = '' }: Call): { method: string; path: string } {
  const [noun, verb] = route.split('.') as ['orders', 'get'];
  const { method, path } = endpoints[noun][verb];
  return { method, path: path.replace(':id', id) };
}

/** A long poll waits this long for an event, in seconds. All long polls of a test wait equally long. */
export const waitSeconds = 3;
