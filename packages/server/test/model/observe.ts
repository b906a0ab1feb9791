import type { ModelAccount } from './account-state';
import type { Call, Route } from './call';
import { showDelivery, visibleDeliveries } from './delivery-rules';
import { showAccount } from './key-rules';
import {
  showEvent,
  showNotification,
  showPartner,
  visibleEvents,
  visibleNotifications,
  visiblePartners,
} from './list-rules';
import type { Bindings } from './match';
import { showAudit, showKeys } from './operator-model';
import type { ModelState } from './state';
import type { System } from './system';
import { showOrder, visibleOrders } from './trade-rules';
import { showWebhook, visibleWebhooks } from './webhook-rules';

/** Everything that each account may see, by the account's ID, and what the operator sees. */
export type Observation = Map<string, Record<string, unknown>>;

/** Observes everything as one account. */
async function observeAccount(
  system: System,
  apiKey: string,
): Promise<[id: string, observed: Record<string, unknown>]> {
  const access = new Set<string>();

  async function read(call: Omit<Call, 'apiKey'>): Promise<{ data: unknown; nextCursor?: string }> {
    let { status, body } = await system.call({ apiKey, ...call });
    const { code = 'granted' } = body as { code?: string };
    access.add(code);
    if (code === 'account_suspended') {
      ({ status, body } = await system.inspect({ apiKey, ...call }));
    }
    if (status !== 200) throw new Error(`${call.route} responds with ${status} ${code}`);
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

  const [account, orders, notifications, webhooks, deliveries, events, partners] =
    await Promise.all([
      read({ route: 'account.get' }),
      readAll('orders.list'),
      readAll('notifications.list'),
      readAll('webhooks.list'),
      readAll('deliveries.list'),
      readAll('events.list', 'after'),
      readAll('partners.list'),
    ]);
  const { id } = account.data as { id: string };
  const lists = { orders, notifications, webhooks, deliveries, events, partners };
  return [id, { access: [...access].join(), account: account.data, ...lists }];
}

/** The name of the operator in an observation. */
const operator = 'operator';

/** Observes everything that each account sees, and the keys and the audit log as the operator sees them. */
export async function observe(system: System, apiKeys: readonly string[]): Promise<Observation> {
  const accounts = await Promise.all(apiKeys.map((apiKey) => observeAccount(system, apiKey)));
  const keys = await system.operate({ kind: 'listKeys', accountId: undefined });
  const audit = await system.operate({ kind: 'listAudit' });
  return new Map([...accounts, [operator, { keys, audit }]]);
}

/** What the model knows: the state, and the values of its placeholders. */
export interface Known {
  state: ModelState;
  bindings: Bindings;
}

/** The lists that are observed. Orders and events come first: they have most of the IDs that the rest refers to. */
export const observedLists = [
  'keys',
  'orders',
  'events',
  'notifications',
  'webhooks',
  'deliveries',
  'partners',
  'audit',
] as const;
/** One of `observedLists`. */
export type ObservedList = (typeof observedLists)[number];

function showItems(
  state: ModelState,
  account: ModelAccount,
  list: Exclude<ObservedList, 'keys' | 'audit'>,
): unknown[] {
  switch (list) {
    case 'orders':
      return visibleOrders(state, account).map(showOrder).toReversed();
    case 'events':
      return visibleEvents(state, account).map(showEvent);
    case 'notifications':
      return visibleNotifications(state, account).map(showNotification).toReversed();
    case 'webhooks':
      return visibleWebhooks(state, account)
        .map((webhook) => showWebhook(state, webhook))
        .toReversed();
    case 'partners':
      return visiblePartners(state, account).map(showPartner).toReversed();
    case 'deliveries':
      return visibleDeliveries(state, account)
        .map((delivery) => showDelivery(state, delivery))
        .toReversed();
  }
}

function showOwn(state: ModelState, account: ModelAccount): unknown {
  const [key] = state.keys.filter(({ accountId }) => accountId === account.id);
  if (key === undefined) throw new Error(`Account ${account.id} has no key.`);
  return showAccount(account, key);
}

/** The keys of a suspended account are refused. What it would see is observed nevertheless. */
const showAccess = ({ suspendedAt }: ModelAccount) =>
  suspendedAt === null ? 'granted' : 'account_suspended';

/** Compares a list, as accounts see it, with what they may see, and binds placeholders. */
export function observationDifference(
  { state, bindings }: Known,
  observation: Observation,
  list: ObservedList,
  accountIds: readonly string[],
): string | null {
  if (list === 'keys' || list === 'audit') {
    const expected = list === 'keys' ? showKeys(state) : showAudit(state);
    return bindings.match(
      expected,
      observation.get(operator)?.[list],
      `what operators see: .${list}`,
    );
  }
  for (const account of state.accounts.filter(({ id }) => accountIds.includes(id))) {
    const actual = observation.get(bindings.resolve(account.id));
    const what = `what ${account.id} (${account.kind}) sees: `;
    const difference =
      bindings.match(showAccess(account), actual?.access, `${what}.access`) ??
      bindings.match(showOwn(state, account), actual?.account, `${what}.account`) ??
      bindings.match(showItems(state, account, list), actual?.[list], `${what}.${list}`);
    if (difference !== null) return difference;
  }
  return null;
}
