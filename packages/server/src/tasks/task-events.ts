import type { OrderStatus } from '@tradepost/contract';
import { type DomainEvent, newEvent } from '../events/domain-event';
import type { Moment } from '../moment';
import type { Task } from './task';

function taskData(task: Task) {
  return { taskId: task.id, orderId: task.orderId, agentId: task.agentId };
}

/** `task.approval_requested`, for the parties of the order. */
export function approvalRequested(
  task: Task,
  parties: (string | null)[],
  moment: Moment,
): DomainEvent {
  const message = `Order ${task.orderId} is pending and awaits the approval of its agent.`;
  return newEvent(
    { event: 'task.approval_requested', data: taskData(task) },
    { orderId: task.orderId, recipients: parties, message },
    moment,
  );
}

/** `task.completed`, for the parties of the order. */
export function taskCompleted(
  task: Task,
  status: OrderStatus,
  parties: (string | null)[],
  moment: Moment,
): DomainEvent {
  const message = `The approval of order ${task.orderId} is complete; the order is now ${status}.`;
  return newEvent(
    { event: 'task.completed', data: taskData(task) },
    { orderId: task.orderId, recipients: parties, message },
    moment,
  );
}
