import type { Account, Caller } from '@tradepost/domain/accounts/account';
import { type AuditEntry, formatAuditEntry } from '@tradepost/domain/audit/audit-log';
import {
  type LoggedDelivery,
  toDeliveryDetailsResponse,
} from '@tradepost/domain/deliveries/logged-delivery';
import type { LoggedEvent } from '@tradepost/domain/events/event-log';
import { systemClock } from '@tradepost/domain/kernel/context';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import {
  type Notification,
  toNotificationResponse,
} from '@tradepost/domain/notifications/notification';
import { type Order, toOrderResponse } from '@tradepost/domain/orders/order';
import { toWebhookDetailsResponse } from '@tradepost/domain/webhooks/webhook';
import type { Store } from '../stores/store';
import { formatKey } from './keys';
import { formatListing } from './listings';

/** Something that belongs to an account. */
export interface ExportedItem {
  type:
    | 'account'
    | 'key'
    | 'partner'
    | 'listing'
    | 'order'
    | 'event'
    | 'notification'
    | 'webhook'
    | 'delivery'
    | 'auditEntry';
  data: object;
}

/** Reads pages until one is not full. */
async function* readPages<Item>(
  pageSize: number,
  read: (last: Item | null, limit: number) => Promise<Item[]>,
): AsyncGenerator<Item> {
  let last: Item | null = null;
  for (;;) {
    const page: Item[] = await read(last, pageSize);
    yield* page;
    last = page.at(-1) ?? null;
    if (page.length < pageSize) return;
  }
}

const toKey = (item: PageKey | null): PageKey | null =>
  item && { createdAt: item.createdAt, id: item.id };

async function* readDeliveries(
  store: Store,
  accountId: string,
  pageSize: number,
): AsyncGenerator<ExportedItem> {
  const { deliveryLog } = store;
  const listed = readPages(pageSize, (last: LoggedDelivery | null, limit) =>
    deliveryLog.listDeliveries(accountId, {}, { after: toKey(last), limit }),
  );
  for await (const { id } of listed) {
    const record = await deliveryLog.findDelivery(accountId, id);
    // It may have been pruned meanwhile.
    if (record === null) continue;
    yield { type: 'delivery', data: toDeliveryDetailsResponse(record, systemClock.now()) };
  }
}

/**
 * Reads everything about an account, page by page, without secrets: its keys as far as they are listed, and its webhooks without
 * their secrets. Changes that are made meanwhile may be missing or included, so suspend the account for an exact export.
 *
 * @param state The account, as an operator sees it.
 * @param pageSize How many items are in memory at once.
 */
export async function* exportAccount(
  store: Store,
  account: Account,
  state: object,
  pageSize = 100,
): AsyncGenerator<ExportedItem> {
  const { id: accountId, kind } = account;
  const caller: Caller = {
    accountId,
    kind,
    keyId: '',
    readOnly: true,
    isSession: false,
    expiresAt: null,
  };
  yield { type: 'account', data: state };
  for (const key of await store.accounts.listKeys(accountId))
    yield { type: 'key', data: formatKey(key) };
  for (const listing of await store.listings.listListings(accountId))
    yield { type: 'listing', data: formatListing(listing) };
  const partners = readPages(pageSize, (last: Account | null, limit) =>
    store.partners.listPartners(accountId, undefined, { after: toKey(last), limit }),
  );
  for await (const { id, kind: kindOfPartner, name } of partners)
    yield { type: 'partner', data: { id, kind: kindOfPartner, name } };
  const orders = readPages(pageSize, (last: Order | null, limit) =>
    store.orders.listOrders(caller, {}, { after: toKey(last), limit }),
  );
  for await (const order of orders) yield { type: 'order', data: toOrderResponse(order) };
  const events = readPages(pageSize, (last: LoggedEvent | null, limit) =>
    store.events.readEvents(accountId, last?.seq ?? 0, limit),
  );
  for await (const { id, body } of events)
    yield { type: 'event', data: { id, ...(JSON.parse(body) as object) } };
  const notifications = readPages(pageSize, (last: Notification | null, limit) =>
    store.notifications.listNotifications(accountId, {}, { after: toKey(last), limit }),
  );
  for await (const one of notifications)
    yield { type: 'notification', data: toNotificationResponse(one) };
  for (const webhook of await store.webhooks.listAllWebhooks(accountId))
    yield { type: 'webhook', data: toWebhookDetailsResponse(webhook, systemClock.now()) };
  yield* readDeliveries(store, accountId, pageSize);
  const entries = readPages(pageSize, (last: AuditEntry | null, limit) =>
    store.audit.listEntries({ accountId }, { before: last?.id ?? null, limit }),
  );
  for await (const entry of entries) yield { type: 'auditEntry', data: formatAuditEntry(entry) };
}

/** Returns the line of an item. */
export function toExportLine({ type, data }: ExportedItem): string {
  return `${JSON.stringify({ type, data })}\n`;
}
