import type { OrderStatus } from '@tradepost/contract';
import { type DomainEvent, newEvent } from '../events/domain-event';
import type { Moment } from '../moment';
import { type Order, partiesOf } from './order';

/** `order.created`, for the parties of the order. */
export function orderCreated(order: Order, moment: Moment): DomainEvent {
  const { id, buyerId, sellerId, agentId, listingId, quantity, status } = order;
  return newEvent(
    {
      event: 'order.created',
      data: { orderId: id, buyerId, sellerId, agentId, listingId, quantity, status },
    },
    {
      orderId: id,
      recipients: partiesOf(order),
      message: `Order ${id} was created for ${quantity} of listing ${listingId}; it is ${status}.`,
    },
    moment,
  );
}

/** `order.status_changed`, for the parties of the order. */
export function orderStatusChanged(
  order: Order,
  previousStatus: OrderStatus,
  moment: Moment,
): DomainEvent {
  return newEvent(
    {
      event: 'order.status_changed',
      data: { orderId: order.id, previousStatus, status: order.status },
    },
    {
      orderId: order.id,
      recipients: partiesOf(order),
      message: `Order ${order.id} is now ${order.status} (was ${previousStatus}).`,
    },
    moment,
  );
}
