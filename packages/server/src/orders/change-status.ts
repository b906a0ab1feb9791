import type { OrderStatus } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { DomainError } from '../domain-error';
import { giveBackUnits } from '../listings/listing';
import type { Moment } from '../moment';
import { completeTask } from '../tasks/task';
import { taskCompleted } from '../tasks/task-events';
import {
  etagOf,
  isVisibleTo,
  matchesEtag,
  nextStatuses,
  type Order,
  orderNotFound,
  partiesOf,
} from './order';
import type { OrderChange, OrderSituation } from './order-change';
import { orderStatusChanged } from './order-events';

function illegalTransition(order: Order, to: OrderStatus): DomainError {
  const open = nextStatuses(order.status);
  const way =
    open.length === 0
      ? `${order.status} is final`
      : `from ${order.status} it can move to ${open.join(' or ')}`;
  return new DomainError(
    'illegal_transition',
    `Order ${order.id} is ${order.status} and cannot become ${to}: ${way}.`,
  );
}

/** A caller's wish that an order have a status. */
export interface StatusRequest {
  caller: Caller;
  /** The order's id as it was asked for. */
  id: string;
  to: OrderStatus;
  /** The request's `If-Match`; undefined when it sent none. */
  ifMatch: string | undefined;
}

/**
 * Moves an order to a status, as its seller or agent asks. Null means that it already has that
 * status and nothing changes, so that a retried request is safe.
 *
 * @param found The order, or null when there is none.
 * @throws DomainError `order_not_found`, `account_kind_not_allowed`, `precondition_failed`, `illegal_transition`.
 */
export function changeStatus(
  asked: StatusRequest,
  found: OrderSituation | null,
  moment: Moment,
): OrderChange | null {
  const { caller, id, to, ifMatch } = asked;
  if (found === null || !isVisibleTo(found.order, caller)) throw orderNotFound(id);
  const { order, listing, task } = found;
  if (caller.kind === 'buyer') {
    throw new DomainError(
      'account_kind_not_allowed',
      "A buyer account may not change an order's status. Ask the order's seller or agent.",
    );
  }
  // Before If-Match: repeated, a guarded change that went through would else fail on its own effect.
  if (order.status === to) return null;
  if (ifMatch !== undefined && !matchesEtag(order, ifMatch)) {
    throw new DomainError(
      'precondition_failed',
      `Order ${order.id} is ${order.status} and its ETag is ${etagOf(order)}, not ${ifMatch}. Read it again and decide anew.`,
    );
  }
  if (!nextStatuses(order.status).includes(to)) throw illegalTransition(order, to);

  // A clock that was set back must not make an order change before it was placed.
  const updatedAt = Math.max(moment.now, order.updatedAt);
  const changed: Order = {
    ...order,
    status: to,
    version: order.version + 1,
    updatedAt,
  };
  const events = [orderStatusChanged(changed, order.status, moment)];
  const completed = task === null ? null : completeTask(task, moment.now);
  if (completed !== null) {
    events.push(taskCompleted(completed, to, partiesOf(changed), moment));
  }
  return {
    order: changed,
    listing: to === 'cancelled' ? giveBackUnits(listing, order.quantity) : listing,
    task: completed,
    events,
  };
}
