import { auditDeliveries } from './audit-deliveries';
import { auditDuplicates } from './audit-duplicates';
import { auditNotifications } from './audit-notifications';
import { auditOrders } from './audit-orders';
import type { OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/**
 * Compares a database with what clients and receivers saw of the server while it was killed. Pure.
 *
 * @returns The violated invariants, one sentence each.
 */
export function audit(seedData: SeedData, log: OperationLog, state: RecordedState): string[] {
  const violations = [...log.violations];
  if (state.integrity !== 'ok') violations.push(`PRAGMA integrity_check says: ${state.integrity}`);
  if (state.brokenReferences.length > 0) {
    violations.push(`PRAGMA foreign_key_check finds ${JSON.stringify(state.brokenReferences)}.`);
  }
  return [
    ...violations,
    ...auditOrders(seedData, log, state),
    ...auditNotifications(seedData, state),
    ...auditDeliveries(seedData, log, state),
    ...auditDuplicates(log, state),
  ];
}
