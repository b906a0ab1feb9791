import type { AuditEntry, AuditStore } from '@tradepost/domain/audit/audit-log';
import { buildAuditFilter } from '../audit-filter';
import { NumberedConditions } from '../conditions';
import { auditLog } from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import { insert } from './write-set';

/** Adds the entry of a change, if there is one, in the transaction of that change. */
export function insertAudit(tx: Transaction, entry: AuditEntry | null | undefined): void {
  if (entry) insert(tx, auditLog, [entry]);
}

/** Creates the store of the audit log. */
export function createPostgresAuditStore(db: PostgresDatabase): AuditStore {
  return {
    addEntry: (entry) => db.write(async (tx) => insertAudit(tx, entry)),

    async listEntries(filter, { before, limit }) {
      const conditions = buildAuditFilter(new NumberedConditions(), filter, before);
      const rest = `FROM audit_log WHERE ${conditions.sql}
        ORDER BY id DESC LIMIT ${conditions.bind(limit)}`;
      return await db.list(auditLog, rest, ...conditions.values);
    },
  };
}
