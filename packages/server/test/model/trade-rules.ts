import type {
  CreateOrder,
  EventType,
  Order,
  OrderStatus,
  WebhookEvent,
} from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import { publish } from './event-rules';
import {
  formatTime,
  type ModelOrder,
  type ModelState,
  placeholder,
  Rejection,
  type Reply,
} from './state';

/** Source: API specification, "States and transitions", and the contract's description of `PATCH /v1/orders/:id`. */
const nextStatuses: Record<OrderStatus, OrderStatus[]> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

function participants({ buyerId, sellerId, agentId }: ModelOrder): string[] {
  return [buyerId, sellerId, ...(agentId === null ? [] : [agentId])];
}

/** Returns the orders that an account may see, oldest first. */
export function visibleOrders(state: ModelState, account: ModelAccount): ModelOrder[] {
  return state.orders.filter((order) => participants(order).includes(account.id));
}

/** Returns an order that an account may see. */
export function findOrder(state: ModelState, account: ModelAccount, id = ''): ModelOrder {
  const order = visibleOrders(state, account).find((one) => one.id === id);
  if (order === undefined) throw new Rejection('order_not_found');
  return order;
}

/** Shows an order. */
export function showOrder(order: ModelOrder): Order {
  const { number: _number, version: _version, createdAt, updatedAt, ...shown } = order;
  return { ...shown, createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt) };
}

/** Shows an order with what a request expands. No listing of the model has a title. */
export function showExpanded(state: ModelState, order: ModelOrder, expand: unknown): Order {
  const shown: Record<string, unknown> = { ...showOrder(order) };
  for (const name of expand === undefined ? [] : String(expand).split(',')) {
    const account = state.accounts.find(({ id }) => id === shown[`${name}Id`]);
    shown[name] = account === undefined ? null : { id: account.id, name: account.name };
    if (name === 'listing') shown.listing = { id: order.listingId, title: null };
    if (name === 'etag') shown.etag = `"${order.version}"`;
  }
  return shown as unknown as Order;
}

function replyWith(status: number, order: ModelOrder): Reply {
  return { status, etag: `"${order.version}"`, body: { data: showOrder(order) } };
}

/** `POST /v1/orders` by a buyer. */
export function createOrder(state: ModelState, buyer: ModelAccount, body: CreateOrder): Reply {
  const listing = state.listings.find(({ id }) => id === body.listingId);
  if (listing === undefined) throw new Rejection('listing_not_found');
  if (listing.available < body.quantity) throw new Rejection('insufficient_quantity');
  listing.available -= body.quantity;
  const order: ModelOrder = {
    id: placeholder(state, 'ord'),
    number: state.created,
    status: 'pending',
    buyerId: buyer.id,
    sellerId: listing.sellerId,
    agentId: listing.agentId,
    listingId: listing.id,
    quantity: body.quantity,
    version: 1,
    createdAt: state.now,
    updatedAt: state.now,
  };
  state.orders.push(order);
  const { id: orderId, buyerId, sellerId, agentId, listingId, quantity, status } = order;
  const data = { orderId, buyerId, sellerId, agentId, listingId, quantity, status };
  publishTrade(state, buyer, order, { type: 'order.created', data, mentions: ['pending'] });
  if (agentId !== null) {
    const taskId = placeholder(state, 'tsk');
    state.tasks.push({ id: taskId, orderId, agentId, isOpen: true });
    publishTrade(state, buyer, order, {
      type: 'task.approval_requested',
      data: { taskId, orderId, agentId },
    });
  }
  const threshold = listing.lowThreshold;
  if (threshold !== null && listing.available < threshold && !listing.isLow) {
    listing.isLow = true;
    publishTrade(state, buyer, order, {
      type: 'listing.availability_low',
      data: { listingId, sellerId, availableQuantity: listing.available, threshold },
      recipients: [sellerId, ...(agentId === null ? [] : [agentId])],
    });
  }
  return { ...replyWith(201, order), location: `/v1/orders/${orderId}` };
}

/** `GET /v1/orders/:id`. */
export function getOrder(
  state: ModelState,
  account: ModelAccount,
  { id, expand }: { id: string | undefined; expand?: unknown },
): Reply {
  const order = findOrder(state, account, id);
  return { ...replyWith(200, order), body: { data: showExpanded(state, order, expand) } };
}

/** `PATCH /v1/orders/:id`. The entity tags in `ifMatch` are separated by commas and have none themselves. */
export function updateOrder(
  state: ModelState,
  account: ModelAccount,
  {
    id,
    to,
    ifMatch,
    reason,
  }: {
    id: string | undefined;
    to: OrderStatus;
    ifMatch: string | undefined;
    reason: string | undefined;
  },
): Reply {
  const order = findOrder(state, account, id);
  if (account.kind === 'buyer') throw new Rejection('account_kind_not_allowed');
  if (order.status === to) return { ...replyWith(200, order), changed: 'false' };
  const tags = ifMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags !== undefined && !tags.includes('*') && !tags.includes(`"${order.version}"`)) {
    throw new Rejection('precondition_failed');
  }
  if (!nextStatuses[order.status].includes(to)) throw new Rejection('invalid_transition');
  const previousStatus = order.status;
  order.status = to;
  order.version += 1;
  order.updatedAt = state.now;
  if (to === 'cancelled') {
    for (const listing of state.listings.filter((one) => one.id === order.listingId)) {
      listing.available += order.quantity;
      if (listing.available > (listing.lowThreshold ?? 0)) listing.isLow = false;
    }
  }
  publishTrade(state, account, order, {
    type: 'order.status_changed',
    data: {
      orderId: order.id,
      previousStatus,
      status: to,
      ...(reason !== undefined && { reason }),
    },
    mentions: [to],
  });
  for (const task of state.tasks.filter((one) => one.orderId === order.id && one.isOpen)) {
    task.isOpen = false;
    const data = { taskId: task.id, orderId: order.id, agentId: task.agentId };
    publishTrade(state, account, order, { type: 'task.completed', data });
  }
  return { ...replyWith(200, order), changed: 'true' };
}

/** Publishes an event of an order that an account has caused. */
function publishTrade(
  state: ModelState,
  { id: accountId, kind }: ModelAccount,
  order: ModelOrder,
  {
    mentions = [],
    recipients = participants(order),
    ...event
  }: { type: EventType; data: WebhookEvent['data']; recipients?: string[]; mentions?: string[] },
): void {
  const { id: orderId } = order;
  const about = { orderId, notifiedOrderId: orderId, actor: { accountId, kind } };
  publish(state, { ...about, ...event, recipients, mentions: [orderId, ...mentions] });
}
