import type { Task } from '../../tasks/task';
import type { SqliteDatabase } from './database';

interface TaskRow {
  id: string;
  order_id: string;
  agent_id: string;
  created_at: number;
  completed_at: number | null;
}

/** The open task of an order, or null. For use inside of a write. */
export function selectOpenTask(db: SqliteDatabase, orderId: string): Task | null {
  const row = db.get<TaskRow>(
    'SELECT * FROM tasks WHERE order_id = ? AND completed_at IS NULL',
    orderId,
  );
  if (row === undefined) return null;
  return {
    id: row.id,
    orderId: row.order_id,
    agentId: row.agent_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

/** Writes a new task. For use inside of a write. */
export function insertTask(db: SqliteDatabase, task: Task): void {
  db.run(
    'INSERT INTO tasks (id, order_id, agent_id, created_at, completed_at) VALUES (?, ?, ?, ?, ?)',
    task.id,
    task.orderId,
    task.agentId,
    task.createdAt,
    task.completedAt,
  );
}

/** Writes that a task is complete. For use inside of a write. */
export function updateTask(db: SqliteDatabase, task: Task): void {
  db.run('UPDATE tasks SET completed_at = ? WHERE id = ?', task.completedAt, task.id);
}
