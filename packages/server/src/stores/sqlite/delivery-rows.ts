import type { EventKind } from '@tradepost/contract';
import type { DeliveryState } from '../../deliveries/delivery';
import type { LoggedAttempt, LoggedDelivery } from '../../deliveries/logged-delivery';

/** A row of `deliveries`, with how its webhook's queue stands. */
export interface DeliveryRow {
  seq: number;
  id: string;
  event_id: string;
  webhook_id: string;
  kind: EventKind;
  test: number;
  state: DeliveryState;
  attempts: number;
  due_at: number | null;
  held_until: number;
  paused: number;
  deadline_at: number;
  lease_until: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A row of `attempts`. */
export interface AttemptRow {
  number: number;
  started_at: number;
  duration: number;
  url: string;
  headers: string;
  status: number | null;
  error: string | null;
  excerpt: string;
}

/** A delivery as the domain has it. */
export function readDelivery(row: DeliveryRow): LoggedDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    webhookId: row.webhook_id,
    kind: row.kind,
    test: row.test === 1,
    state: row.state,
    nextAttemptAt: row.due_at,
    inProgress: row.lease_until !== null,
    paused: row.paused === 1,
    heldUntil: row.held_until,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deadlineAt: row.deadline_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** An attempt as the domain has it. */
export function readAttempt(row: AttemptRow): LoggedAttempt {
  return {
    number: row.number,
    startedAt: row.started_at,
    duration: row.duration,
    url: row.url,
    headers: JSON.parse(row.headers) as Record<string, string>,
    status: row.status,
    error: row.error,
    excerpt: row.excerpt,
  };
}
