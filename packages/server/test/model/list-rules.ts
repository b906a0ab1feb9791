import type { AccountEvent, Notification } from '@tradepost/contract/wire';
import { filterDeliveries, showDelivery } from './delivery-rules';
import { containing } from './match';
import {
  formatTime,
  type ModelAccount,
  type ModelCursor,
  type ModelNotification,
  type ModelState,
  placeholder,
  type Query,
  Rejection,
  type Reply,
} from './state';
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
function replyWithPage<Item extends { number: number; updatedAt?: number }>(
  state: ModelState,
  request: { list: ModelCursor['list']; account: ModelAccount; query: Query },
  items: Item[],
  show: (item: Item) => unknown,
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
  return { status: 200, body: { data: page.map(show), nextCursor } };
}

const time = (value: unknown, otherwise: number) =>
  value === undefined ? otherwise : Date.parse(String(value));

/** `GET /v1/orders`. */
export function listOrders(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const [after, before] = [time(query.createdAfter, -1), time(query.createdBefore, Infinity)];
  const { status, buyerId, listingId } = query;
  const statuses = status === undefined ? null : String(status).split(',');
  const changedAfter = time(query.updatedAfter, -1);
  const items = visibleOrders(state, account)
    .filter((order) => statuses === null || statuses.includes(order.status))
    .filter((order) => buyerId === undefined || order.buyerId === buyerId)
    .filter((order) => listingId === undefined || order.listingId === listingId)
    .filter(({ createdAt }) => createdAt > after && createdAt < before)
    .filter(({ updatedAt }) => updatedAt > changedAfter);
  return replyWithPage(state, { list: 'orders', account, query }, items, (order) =>
    showExpanded(state, order, query.expand),
  );
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

/** `GET /v1/webhooks`. */
export function listWebhooks(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const request = { list: 'webhooks', account, query } as const;
  return replyWithPage(state, request, visibleWebhooks(state, account), (webhook) =>
    showWebhook(state, webhook),
  );
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
  event: { id, type, createdAt, data },
}: {
  event: ModelState['log'][number]['event'];
}): AccountEvent {
  return { id, event: type, createdAt: formatTime(createdAt), data } as AccountEvent;
}

/** `GET /v1/events`. A long poll that has to wait has an empty page. */
export function listEvents(state: ModelState, account: ModelAccount, query: Query = {}): Reply {
  const since = time(query.since, -1);
  const isFromNow = query.after === 'now' || since > state.now;
  const cursorAfter = isFromNow
    ? null
    : findCursor(state, { list: 'events', sort: '' }, query.after);
  const after = isFromNow ? state.log.length : (cursorAfter?.position ?? 0);
  const page = visibleEvents(state, account)
    .filter(({ index, event }) => index >= after && event.createdAt >= since)
    .filter(({ event }) => query.orderId === undefined || event.orderId === query.orderId)
    .slice(0, Number(query.limit ?? defaultLimit));
  const last = page.at(-1);
  // Nothing is left out: the events to come are later than those that `since` excludes. Those of other orders are not passed.
  const endWithout = query.orderId === undefined ? state.log.length : after;
  const end = last === undefined ? endWithout : last.index + 1;
  const cursor = {
    list: 'events',
    sort: '',
    accountId: account.id,
    time: 0,
    position: end,
  } as const;
  // An empty page from now on does not tell whether a change at the same time came before it, so its cursor is not used.
  const nextCursor = isFromNow ? placeholder(state, 'text') : addCursor(state, cursor);
  return { status: 200, body: { data: page.map(showEvent), nextCursor } };
}
