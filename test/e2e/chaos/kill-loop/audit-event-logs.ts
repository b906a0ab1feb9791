import type { AccountEvent } from '@tradepost/sdk';
import { listLoopEvents } from './loop-events';
import type { EventLogReading, OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/** Finds events of one order that were read in another order than they happened. */
function auditOrderOfEvents({ accountId, events }: EventLogReading): string[] {
  const violations: string[] = [];
  const statuses = new Map<string, string>();
  const expectStatus = (event: AccountEvent, orderId: string, expected: string | undefined) => {
    const known = statuses.get(orderId);
    if (known === expected) return;
    violations.push(
      `The event log of ${accountId} has ${event.id} (${event.event}) of ${orderId} after the status ${known}.`,
    );
  };
  for (const event of events) {
    if (event.event === 'order.created') {
      const { orderId, status } = event.data;
      expectStatus(event, orderId, undefined);
      statuses.set(orderId, status);
    } else if (event.event === 'order.status_changed') {
      const { orderId, status, previousStatus } = event.data;
      expectStatus(event, orderId, previousStatus);
      statuses.set(orderId, status);
    }
  }
  return violations;
}

/**
 * Finds events that a polling reader missed, got twice, or got in the wrong order. The readers must have reached the end of their
 * logs, and no change may have been made since.
 */
export function auditEventLogs(
  seedData: SeedData,
  { eventLogs }: OperationLog,
  state: RecordedState,
): string[] {
  const loopEvents = listLoopEvents(seedData, state);
  const known = new Set(state.events.map(({ id }) => id));
  return eventLogs.flatMap((reading) => {
    const { accountId, events } = reading;
    const violations: string[] = [];
    const read = new Set<string>();
    for (const { id } of events) {
      if (read.has(id)) violations.push(`The event log of ${accountId} has ${id} twice.`);
      if (!known.has(id))
        violations.push(`The event log of ${accountId} has ${id}, which was never committed.`);
      read.add(id);
    }
    for (const { event, recipients } of loopEvents) {
      if (recipients.includes(accountId) && !read.has(event.id))
        violations.push(`LOST: a poll of the event log of ${accountId} missed ${event.id}.`);
    }
    return [...violations, ...auditOrderOfEvents(reading)];
  });
}
