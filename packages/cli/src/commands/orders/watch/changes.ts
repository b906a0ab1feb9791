import {
  type AccountEvent,
  isTradepostError,
  type Notification,
  type RequestOptions,
  type Tradepost,
} from '@tradepost/sdk';
import type { Connection } from '../../../client/connection';
import { type Following, followResiliently, getLatestCursor } from '../../../client/follow';
import type { CliContext } from '../../../context';
import { assertObject } from '../../../errors/cli-error';
import { listNotifications } from '../../notifications/notification-pages';
import type { OrderChange } from './change-view';

/**
 * Follows changes of orders in the account's events (an extension). It ends when the signal aborts.
 *
 * @param since ISO 8601; null for new events only
 */
export async function* changesFromEvents(
  client: Pick<Tradepost, 'events'>,
  since: string | null,
  following: Omit<Following, 'from'>,
  context: Pick<CliContext, 'now' | 'signal'>,
): AsyncIterable<OrderChange> {
  const from =
    since === null ? await getLatestCursor(client, following.connection, context) : { since };
  if (since === null) following.onContact?.();
  for await (const { data } of followResiliently(client, { ...following, from }, context)) {
    for (const event of data) {
      const change = fromEvent(event);
      if (change !== null) yield change;
    }
  }
}

function fromEvent(event: AccountEvent): OrderChange | null {
  const { createdAt } = assertObject(event);
  switch (event.event) {
    case 'order.created': {
      const { orderId, status } = assertObject(event.data);
      return { createdAt, event: event.event, orderId, from: null, to: status, reason: null };
    }
    case 'order.status_changed': {
      const { orderId, previousStatus, status, reason = null } = assertObject(event.data);
      return { createdAt, event: event.event, orderId, from: previousStatus, to: status, reason };
    }
    default:
      return null;
  }
}

/** The notification types about orders, and their event types. */
const orderEvents: ReadonlyMap<string, string> = new Map([
  ['order_created', 'order.created'],
  ['order_status_changed', 'order.status_changed'],
]);

/** The notifications that one poll reads at most. */
const maxPerPoll = 1_000;

export interface Polling {
  connection: Connection;
  /** Milliseconds between two polls. */
  intervalMs: number;
  /** Called after each poll. */
  onContact: () => void;
  /** Called with the limit if a poll found more. */
  onTruncated: (limit: number) => void;
}

/**
 * Polls the account's notifications for changes of orders, for services without an event log. It ends when the
 * signal aborts.
 *
 * A notification has no status: the order is read for it, so that a status between two polls is missed.
 *
 * @param since ISO 8601; null for new notifications only
 */
export async function* changesFromNotifications(
  client: Pick<Tradepost, 'notifications' | 'orders'>,
  since: string | null,
  { connection, intervalMs, onContact, onTruncated }: Polling,
  { wait, signal }: Pick<CliContext, 'wait' | 'signal'>,
): AsyncIterable<OrderChange> {
  let seen = new Set<string>();
  for (let round = 0; !signal.aborted; round += 1) {
    const isNew = ({ id, createdAt }: Notification) =>
      !seen.has(id) &&
      (round > 0 || (since !== null && Date.parse(createdAt) >= Date.parse(since)));
    const { ids, news, isTruncated } = await connection.send((limits) =>
      poll(client, isNew, { signal, ...limits }),
    );
    onContact();
    // The list begins with the newest: the next poll stops at these.
    seen = ids;
    if (isTruncated) onTruncated(maxPerPoll);
    for (const notification of news.reverse()) {
      const change = await connection.send((limits) =>
        fromNotification(client, notification, { signal, ...limits }),
      );
      if (change !== null) yield change;
    }
    await wait(intervalMs, signal);
  }
}

async function poll(
  { notifications }: Pick<Tradepost, 'notifications'>,
  isNew: (notification: Notification) => boolean,
  options: RequestOptions,
): Promise<{ ids: Set<string>; news: Notification[]; isTruncated: boolean }> {
  const ids = new Set<string>();
  const news: Notification[] = [];
  for await (const { data, nextCursor } of listNotifications(notifications, false, 100, options)) {
    for (const notification of data) ids.add(assertObject(notification).id);
    const found = data.filter(isNew);
    news.push(...found);
    if (found.length < data.length) break;
    if (news.length >= maxPerPoll) return { ids, news, isTruncated: nextCursor !== null };
  }
  return { ids, news, isTruncated: false };
}

async function fromNotification(
  { orders }: Pick<Tradepost, 'orders'>,
  { type, orderId, createdAt }: Notification,
  options: RequestOptions,
): Promise<OrderChange | null> {
  const event = orderEvents.get(type);
  if (event === undefined) return null;
  try {
    const { status } = await orders.get(orderId, options);
    return { createdAt, event, orderId, from: null, to: status, reason: null };
  } catch (error) {
    // The order is no longer visible to this account.
    if (isTradepostError(error) && error.status === 404) return null;
    throw error;
  }
}
