import type { OrderStatus } from '@tradepost/contract';
import { createEvent, type DomainEvent } from '../events/event';
import type { CommandContext } from '../kernel/context';

/** An agent's task to approve an order. It is open until the order leaves `pending`. */
export interface Task {
  /** `tsk_<id>`. */
  id: string;
  orderId: string;
  agentId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970; null while the task is open. */
  completedAt: number | null;
}

/** Creates the task that asks an order's agent for approval. */
export function createTask(orderId: string, agentId: string, context: CommandContext): Task {
  return { id: context.newId('tsk'), orderId, agentId, createdAt: context.now, completedAt: null };
}

/** Marks a task complete. */
export function completeTask(task: Task, now: number): Task {
  return { ...task, completedAt: now };
}

function taskData(task: Task) {
  return { taskId: task.id, orderId: task.orderId, agentId: task.agentId };
}

/** What an event of a task has from its order. */
export interface TaskOrder {
  /** The participants of the order. */
  recipients: (string | null)[];
  /** The version of the order after the change. */
  orderVersion: number;
}

/** Creates `task.approval_requested` for the participants of the order. */
export function approvalRequested(
  task: Task,
  order: TaskOrder,
  context: CommandContext,
): DomainEvent {
  const message = `Order ${task.orderId} is pending and awaits the approval of its agent.`;
  return createEvent(
    { event: 'task.approval_requested', data: taskData(task) },
    { orderId: task.orderId, ...order, message },
    context,
  );
}

/** Creates `task.completed` for the participants of the order. */
export function taskCompleted(
  task: Task,
  status: OrderStatus,
  order: TaskOrder,
  context: CommandContext,
): DomainEvent {
  const message = `The approval of order ${task.orderId} is complete; the order is now ${status}.`;
  return createEvent(
    { event: 'task.completed', data: taskData(task) },
    { orderId: task.orderId, ...order, message },
    context,
  );
}
