import type { Moment } from '../moment';

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

/** Asks an order's agent for approval. */
export function openTask(orderId: string, agentId: string, moment: Moment): Task {
  return { id: moment.newId('tsk'), orderId, agentId, createdAt: moment.now, completedAt: null };
}

/** Marks a task complete. */
export function completeTask(task: Task, now: number): Task {
  return { ...task, completedAt: now };
}
