import type { AuditEntry, AuditStore } from '@tradepost/domain/audit/audit-log';
import { buildAuditFilter } from '../audit-filter';
import { Conditions } from '../conditions';
import { auditLog } from '../records/tables';
import type { SqliteDatabase } from './database';

/** Adds the entry of a change, if there is one. Call inside the write of that change. */
export function insertAudit(db: SqliteDatabase, entry: AuditEntry | null | undefined): void {
  if (entry) db.insert(auditLog, entry);
}

/** Creates the store of the audit log. */
export function createSqliteAuditStore(db: SqliteDatabase): AuditStore {
  return {
    addEntry: (entry) => db.write(() => insertAudit(db, entry)),

    listEntries: (filter, { before, limit }) =>
      db.read(() => {
        const { sql, values } = buildAuditFilter(new Conditions(), filter, before);
        const rest = `FROM audit_log WHERE ${sql} ORDER BY id DESC LIMIT ?`;
        return db.list(auditLog, rest, ...values, limit);
      }),
  };
}
