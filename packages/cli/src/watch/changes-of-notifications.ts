import { isTradepostError, type Notification, type Tradepost } from '@tradepost/sdk';
import { checkRecord } from '../check-record';
import { type Clock, Outage, type Steadiness } from '../outage';
import type { OrderChange } from './order-change';

/** The notification types that tell of orders, and the event that each stands for. */
const orderEvents: ReadonlyMap<string, string> = new Map([
  ['order_created', 'order.created'],
  ['order_status_changed', 'order.status_changed'],
]);

/** A round looks at no more than so many: whoever was away for long reads the list instead. */
const mostPerRound = 1_000;

/**
 * What happens to orders, from the account's notifications, asked for again and again: for a service
 * that has the interface's seven endpoints and no more. It ends when the signal aborts.
 *
 * A notification tells no statuses, so the order is asked for: what it went through between two
 * rounds is not seen.
 *
 * @param since ISO 8601; null for from now on
 * @param pause milliseconds between two rounds
 * @param steadiness what becomes of an outage after the first round
 * @param onCut is told that there were more than a round looks at, and how many that is
 */
export async function* changesOfNotifications(
  client: Pick<Tradepost, 'notifications' | 'orders'>,
  since: string | null,
  pause: number,
  steadiness: Steadiness,
  clock: Clock,
  onCut: (most: number) => void,
): AsyncIterable<OrderChange> {
  const { wait, signal } = clock;
  const outage = new Outage(steadiness, clock);
  let seen = new Set<string>();
  for (let round = 0; !signal.aborted; round += 1) {
    const isNew = ({ id, createdAt }: Notification) =>
      !seen.has(id) &&
      (round > 0 || (since !== null && Date.parse(createdAt) >= Date.parse(since)));
    const { latest, news, isCut } = await outage.over(() => look(client, isNew, signal));
    // Those that are kept in mind are those that the list begins with: it is newest first.
    seen = latest;
    if (isCut) onCut(mostPerRound);
    for (const notification of news.reverse()) {
      const change = await outage.over(() => changeOf(client, notification, signal));
      if (change !== null) yield change;
    }
    await wait(pause, signal);
  }
}

/** @returns the ids of the newest notifications, and those of them that are new, newest first; of very many but the newest */
async function look(
  { notifications }: Pick<Tradepost, 'notifications'>,
  isNew: (notification: Notification) => boolean,
  signal: AbortSignal,
): Promise<{ latest: Set<string>; news: Notification[]; isCut: boolean }> {
  const latest = new Set<string>();
  const news: Notification[] = [];
  for await (const { data, nextCursor } of notifications.list({ limit: 100 }, { signal }).pages()) {
    for (const notification of data) latest.add(checkRecord(notification).id);
    const found = data.filter(isNew);
    news.push(...found);
    if (found.length < data.length) break;
    if (news.length >= mostPerRound) return { latest, news, isCut: nextCursor !== null };
  }
  return { latest, news, isCut: false };
}

async function changeOf(
  { orders }: Pick<Tradepost, 'orders'>,
  { type, orderId, createdAt }: Notification,
  signal: AbortSignal,
): Promise<OrderChange | null> {
  const event = orderEvents.get(type);
  if (event === undefined) return null;
  try {
    const { status } = await orders.get(orderId, { signal });
    return { createdAt, event, orderId, from: null, to: status };
  } catch (error) {
    // One that is not to be seen any more is not worth ending for.
    if (isTradepostError(error) && error.status === 404) return null;
    throw error;
  }
}
