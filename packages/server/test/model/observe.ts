import type { Call, Route } from './call';
import { showDelivery, visibleDeliveries } from './delivery-rules';
import { showEvent, showNotification, visibleEvents, visibleNotifications } from './list-rules';
import type { Bindings } from './match';
import { showAccount } from './service-model';
import type { ModelAccount, ModelState } from './state';
import type { System } from './system';
import { showOrder, visibleOrders } from './trade-rules';
import { showWebhook, visibleWebhooks } from './webhook-rules';

/** Everything that each account may see, by the account's ID. */
export type Observation = Map<string, Record<string, unknown>>;

/** Observes everything as one account. */
async function observeAccount(
  system: System,
  apiKey: string,
): Promise<[id: string, observed: Record<string, unknown>]> {
  async function read(call: Omit<Call, 'apiKey'>): Promise<{ data: unknown; nextCursor?: string }> {
    const { status, body } = await system.call({ apiKey, ...call });
    if (status !== 200) throw new Error(`${call.route} responds with ${status}`);
    return body as { data: unknown; nextCursor?: string };
  }

  async function readAll(route: Route, page: 'cursor' | 'after' = 'cursor'): Promise<unknown[]> {
    const items: unknown[] = [];
    let query: Call['query'] = { limit: 100 };
    for (;;) {
      const { data, nextCursor } = await read({ route, query });
      const added = data as unknown[];
      items.push(...added);
      if (nextCursor == null || added.length < 100) return items;
      query = { limit: 100, [page]: nextCursor };
    }
  }

  const [account, orders, notifications, webhooks, deliveries, events] = await Promise.all([
    read({ route: 'account.get' }),
    readAll('orders.list'),
    readAll('notifications.list'),
    readAll('webhooks.list'),
    readAll('deliveries.list'),
    readAll('events.list', 'after'),
  ]);
  const { id } = account.data as { id: string };
  const lists = { orders, notifications, webhooks, deliveries, events };
  return [id, { account: account.data, ...lists }];
}

/** Observes everything that each account sees. */
export async function observe(system: System, apiKeys: readonly string[]): Promise<Observation> {
  return new Map(await Promise.all(apiKeys.map((apiKey) => observeAccount(system, apiKey))));
}

function expectedFor(state: ModelState, account: ModelAccount): Record<string, unknown> {
  const [key] = state.keys.filter(({ accountId }) => accountId === account.id);
  if (key === undefined) throw new Error(`Account ${account.id} has no key.`);
  return {
    account: showAccount(account, key),
    // Orders and events come first: they have most of the IDs that the rest refers to.
    orders: visibleOrders(state, account).map(showOrder).toReversed(),
    events: visibleEvents(state, account).map(showEvent),
    notifications: visibleNotifications(state, account).map(showNotification).toReversed(),
    webhooks: visibleWebhooks(state, account)
      .map((webhook) => showWebhook(state, webhook))
      .toReversed(),
    deliveries: visibleDeliveries(state, account)
      .map((delivery) => showDelivery(state, delivery))
      .toReversed(),
  };
}

/** Compares what each account sees with what it may see, and binds placeholders. */
export function observationDifference(
  state: ModelState,
  bindings: Bindings,
  observation: Observation,
): string | null {
  for (const account of state.accounts) {
    const actual = observation.get(bindings.resolve(account.id));
    const what = `what ${account.id} (${account.kind}) sees: `;
    const difference = bindings.match(expectedFor(state, account), actual, what);
    if (difference !== null) return difference;
  }
  return null;
}
