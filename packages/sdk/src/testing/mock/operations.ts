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
  | 'summary.get';

/** Returns the call of the client for a route of the contract. All but one have the same name. */
export function toOperation({ noun, name }: Pick<MatchedRoute, 'noun' | 'name'>): MockOperation {
  const route = `${noun}.${name}`;
  return (route === 'notifications.update' ? 'notifications.markRead' : route) as MockOperation;
}

/** All operations. */
export const operations: readonly MockOperation[] = Object.entries(contract).flatMap(
  ([noun, router]) => Object.keys(router).map((name) => toOperation({ noun, name })),
);
