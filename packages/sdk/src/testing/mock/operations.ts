import { contract } from '@tradepost/contract';
import type { MatchedRoute } from '@tradepost/domain/service';

/** The name of a call of the client, such as `orders.create`. `events.follow` and `events.latest` call `events.list`. */
export type MockOperation =
  | 'orders.list'
  | 'orders.create'
  | 'orders.get'
  | 'orders.update'
  | 'orders.timeline'
  | 'notifications.list'
  | 'notifications.markRead'
  | 'notifications.markAllRead'
  | 'webhooks.create'
  | 'webhooks.list'
  | 'webhooks.get'
  | 'webhooks.stats'
  | 'webhooks.update'
  | 'webhooks.delete'
  | 'webhooks.stageSecret'
  | 'webhooks.promoteSecret'
  | 'webhooks.test'
  | 'webhooks.replayDeliveries'
  | 'deliveries.list'
  | 'deliveries.get'
  | 'deliveries.replay'
  | 'events.list'
  | 'events.get'
  | 'partners.list'
  | 'account.get'
  | 'summary.get'
  | 'keys.list'
  | 'keys.create'
  | 'keys.revoke'
  | 'signIn.createCode'
  | 'sessions.create';

/** The calls of the client that have another name than their route. */
const otherNames: Readonly<Record<string, MockOperation>> = {
  'notifications.update': 'notifications.markRead',
  'signInCodes.create': 'signIn.createCode',
};

/** Returns the call of the client for a route of the contract. */
export function toOperation({ noun, name }: Pick<MatchedRoute, 'noun' | 'name'>): MockOperation {
  const route = `${noun}.${name}`;
  return otherNames[route] ?? (route as MockOperation);
}

/** All operations. */
export const operations: readonly MockOperation[] = Object.entries(contract).flatMap(
  ([noun, router]) => Object.keys(router).map((name) => toOperation({ noun, name })),
);
