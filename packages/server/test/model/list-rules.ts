import type { AccountEvent, Notification } from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import { filterDeliveries, showDelivery } from './delivery-rules';
import { containing } from './match';
import {
  formatTime,
  type ModelCursor,
  type ModelNotification,
  type ModelState,
  placeholder,
  type Query,
  Rejection,
  type Reply,
} from './state';
import { showTotals } from './stats-rules';
import { showExpanded, visibleOrders } from './trade-rules';
import { showWebhook, visibleWebhooks } from './webhook-rules';

const defaultLimit = 50;

function findCursor(
  state: ModelState,
  { list, sort }: Pick<ModelCursor, 'list' | 'sort'>,
  text: unknown,
): ModelCursor | null {
  if (text === undefined) return null;
  const cursor = state.cursors.find((one) => one.text === text && one.list === list);
  if (cursor === undefined || cursor.sort !== sort) throw new Rejection('invalid_cursor');
  return cursor;
}

function addCursor(state: ModelState, cursor: Omit<ModelCursor, 'text'>): string {
  const text = placeholder(state, 'cursor');
  state.cursors.push({ text, ...cursor });
  return text;
}

/** Replies with one page of a list, by default newest first. `items` are the filtered items, oldest first. */
export function replyWithPage<Item extends { number: number; updatedAt?: number }>(
  state: ModelState,
  request: { list: ModelCursor['list']; account: ModelAccount; query: Query },
  items: Item[],
  show: (item: Item) => unknown,
  further: object = {},
): Reply {
  const { list, account, query } = request;
  const sort = String(query.sort ?? '-createdAt');
  const cursor = findCursor(state, { list, sort }, query.cursor);
  // What was created later has a later time and a higher number.
  const getTime = (item: Item) => (sort.endsWith('updatedAt') ? (item.updatedAt ?? 0) : 0);
  const isAfter = (item: Item, time: number, number: number) => {
    const difference = getTime(item) - time || item.number - number;
    return sort.startsWith('-') ? difference < 0 : difference > 0;
  };
  const rest = items
    .filter((item) => cursor === null || isAfter(item, cursor.time, cursor.position))
    .toSorted((one, other) => (isAfter(one, getTime(other), other.number) ? 1 : -1));
  const page = rest.slice(0, Number(query.limit ?? defaultLimit));
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  const nextCursor = hasMore
    ? addCursor(state, {
        list,
        sort,
        accountId: account.id,
        time: getTime(last),
        position: last.number,
      })
    : null;
  return { status: 200, body: { data: page.map(show), nextCursor, ...further } };
}

const time = (value: unknown, otherwise: number) =>
  value === undefined ? otherwise : Date.parse(String(value));

/** `GET /v1/orders`. */
export function listOrders(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const [after, before] = [time(query.createdAfter, -1), time(query.createdBefore, Infinity)];
  const { status, buyerId, sellerId, listingId } = query;
  const { minQuantity = 1, maxQuantity = Infinity } = query;
  const statuses = status === undefined ? null : String(status).split(',');
  const changedAfter = time(query.updatedAfter, -1);
  const items = visibleOrders(state, account)
    .filter((order) => statuses === null || statuses.includes(order.status))
    .filter((order) => buyerId === undefined || order.buyerId === buyerId)
    .filter((order) => sellerId === undefined || order.sellerId === sellerId)
    .filter(({ quantity }) => quantity >= Number(minQuantity) && quantity <= Number(maxQuantity))
    .filter((order) => listingId === undefined || order.listingId === listingId)
    .filter(({ createdAt }) => createdAt > after && createdAt < before)
    .filter(({ updatedAt }) => updatedAt > changedAfter);
  const most = Number(query.count);
  const total = { count: Math.min(items.length, most), atLeast: items.length > most };
  return replyWithPage(
    state,
    { list: 'orders', account, query },
    items,
    (order) => showExpanded(state, order, query.expand),
    query.count === undefined ? {} : { total },
  );
}

/** The accounts of the orders that an account sees, without itself, in the order of their creation. */
export function visiblePartners(state: ModelState, account: ModelAccount) {
  const ids = new Set(
    visibleOrders(state, account).flatMap((order) => [
      order.buyerId,
      order.sellerId,
      order.agentId,
    ]),
  );
  return state.accounts.filter(({ id }) => id !== account.id && ids.has(id));
}

/** Shows a partner. */
export const showPartner = ({ id, kind, name }: ModelAccount) => ({ id, kind, name });

/** `GET /v1/partners`. */
export function listPartners(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const part = String(query.name ?? '').toLowerCase();
  const items = visiblePartners(state, account)
    .filter(({ name }) => name.toLowerCase().includes(part))
    .map((one) => ({ ...one, number: state.accounts.indexOf(one) }));
  return replyWithPage(state, { list: 'partners', account, query }, items, showPartner);
}

/** Returns the notifications of an account, oldest first. */
export function visibleNotifications(state: ModelState, { id }: ModelAccount): ModelNotification[] {
  return state.notifications.filter(({ accountId }) => accountId === id);
}

/** Shows a notification. Its message names the order and, if it changed, its new status. */
export function showNotification(
  notification: ModelNotification,
): Omit<Notification, 'message' | 'type'> & { message: unknown; type: string } {
  const { id, type, orderId, mentions, read, createdAt } = notification;
  return {
    id,
    type,
    orderId,
    message: containing(mentions),
    read,
    createdAt: formatTime(createdAt),
  };
}

/** `GET /v1/notifications`. */
export function listNotifications(
  state: ModelState,
  account: ModelAccount,
  query: Query = {},
): Reply {
  const items = visibleNotifications(state, account).filter(
    ({ read }) => query.read === undefined || read === query.read,
  );
  return replyWithPage(state, { list: 'notifications', account, query }, items, showNotification);
}

/** `PATCH /v1/notifications/:id`. */
export function markRead(state: ModelState, account: ModelAccount, id?: string): Reply {
  const notification = visibleNotifications(state, account).find((one) => one.id === id);
  if (notification === undefined) throw new Rejection('notification_not_found');
  notification.read = true;
  return { status: 200, body: { data: showNotification(notification) } };
}

/** `POST /v1/notifications/read`. No model has more of them than one request marks. */
export function markAllRead(
  state: ModelState,
  account: ModelAccount,
  { before }: { before: string },
): Reply {
  const unread = visibleNotifications(state, account).filter(
    ({ read, createdAt }) => !read && createdAt < Date.parse(before),
  );
  for (const notification of unread) notification.read = true;
  return { status: 200, body: { data: { marked: unread.length, hasMore: false } } };
}

/** `GET /v1/webhooks`. */
export function listWebhooks(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const request = { list: 'webhooks', account, query } as const;
  return replyWithPage(state, request, visibleWebhooks(state, account), (webhook) => ({
    ...showWebhook(state, webhook),
    ...(query.expand === 'stats' && { stats: showTotals(state, webhook.id) }),
  }));
}

/** `GET /v1/deliveries`. */
export function listDeliveries(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const items = filterDeliveries(state, account, query);
  return replyWithPage(state, { list: 'deliveries', account, query }, items, (delivery) =>
    showDelivery(state, delivery),
  );
}

/** Returns the events that an account may see, oldest first. */
export function visibleEvents(state: ModelState, { id }: ModelAccount) {
  return state.log
    .map(({ accountId, event }, index) => ({ accountId, event, index }))
    .filter(({ accountId }) => accountId === id);
}

/** Shows an event of an event log. */
export function showEvent({
  event: { id, type, createdAt, data, actor },
}: {
  event: ModelState['log'][number]['event'];
}): AccountEvent {
  return { id, event: type, createdAt: formatTime(createdAt), data, actor } as AccountEvent;
}

/** Adds a cursor of an event log: how many entries of it are passed. */
const addLogCursor = (
  state: ModelState,
  { id: accountId }: ModelAccount,
  position: number,
  passedOthers = false,
) => addCursor(state, { list: 'events', sort: '', accountId, time: 0, position, passedOthers });

const findLogCursor = (state: ModelState, text: unknown) =>
  findCursor(state, { list: 'events', sort: '' }, text)?.position;

/** `GET /v1/events`. A long poll that has to wait has an empty page. */
export function listEvents(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const [since, until] = [time(query.since, -1), time(query.until, Infinity)];
  const isFromNow = query.after === 'now' || since > state.now;
  const found = isFromNow ? undefined : findLogCursor(state, query.after);
  const after = isFromNow ? state.log.length : (found ?? 0);
  const before = findLogCursor(state, query.before) ?? state.log.length;
  const inLog = visibleEvents(state, account)
    .filter(({ index }) => index >= after && index < before)
    .filter(({ event }) => query.orderId === undefined || event.orderId === query.orderId)
    .filter(({ event }) => event.createdAt >= since);
  const items = inLog
    .filter(({ event }) => event.createdAt < until)
    .filter(({ event }) => query.type === undefined || event.type === query.type);
  if (query.tail !== undefined) return replyWithTail(state, account, query, items);
  const limit = Number(query.limit ?? defaultLimit);
  const page = items.slice(0, limit);
  const last = page.at(-1);
  // Nothing is left out: the events to come are later than those that `since` excludes. Those of other orders and times are not
  // passed.
  const stays = query.orderId !== undefined || query.until !== undefined;
  const endOfPage = last === undefined ? after : last.index + 1;
  const end = stays || page.length === limit ? endOfPage : state.log.length;
  // An empty page from now on does not tell whether a change at the same time came before it, so its cursor is not used.
  const nextCursor = isFromNow
    ? placeholder(state, 'text')
    : addLogCursor(state, account, end, query.type !== undefined && end > endOfPage);
  return {
    status: 200,
    body: { data: page.map(showEvent), nextCursor, hasMore: page.length === limit },
  };
}

type LogItem = ReturnType<typeof visibleEvents>[number];

/** The last events, and cursors to those before and after them. */
function replyWithTail(
  state: ModelState,
  account: ModelAccount,
  { tail }: Query,
  items: LogItem[],
): Reply {
  const page = items.slice(-Number(tail));
  const [first, last] = [page[0], page.at(-1)];
  const hasEarlier = first !== undefined && items.length > page.length;
  const body = {
    data: page.map(showEvent),
    // Without an event, what a time excludes is not passed, and where that ends depends on it.
    nextCursor:
      last === undefined
        ? placeholder(state, 'text')
        : addLogCursor(state, account, last.index + 1),
    previousCursor: hasEarlier ? addLogCursor(state, account, first.index) : null,
  };
  return { status: 200, body };
}

/** `GET /v1/events/:id`. */
export function getEvent(state: ModelState, account: ModelAccount, id?: string): Reply {
  const found = visibleEvents(state, account).find(({ event }) => event.id === id);
  if (found === undefined) throw new Rejection('event_not_found');
  return { status: 200, body: { data: showEvent(found) } };
}
