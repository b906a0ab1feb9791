import { auditDeliveries } from './audit-deliveries';
import { auditDuplicates } from './audit-duplicates';
import { auditEventLogs } from './audit-event-logs';
import { auditNotifications } from './audit-notifications';
import { auditOrders } from './audit-orders';
import type { OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/**
 * Compares a database with what clients and receivers saw of the servers during their faults. Pure.
 *
 * @param isDrained Whether all deliveries were made. Otherwise those in flight are not judged.
 * @returns The violated invariants, one sentence each.
 */
export function audit(
  seedData: SeedData,
  log: OperationLog,
  state: RecordedState,
  isDrained = true,
): string[] {
  return [
    ...log.violations,
    ...state.faults,
    ...auditOrders(seedData, log, state),
    ...auditNotifications(seedData, state),
    ...auditEventLogs(seedData, log, state),
    ...auditDeliveries(seedData, log, state, isDrained),
    ...(isDrained ? auditDuplicates(log, state) : []),
  ];
}
