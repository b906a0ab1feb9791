import type { AuditStore } from '@tradepost/domain/audit/audit-log';
import { smallestIdAt } from '@tradepost/domain/kernel/context';
import type { Conditions } from './conditions';

/** Adds the conditions of a list of audit entries, all of them ranges of an index. IDs sort by time. */
export function buildAuditFilter<Built extends Conditions>(
  conditions: Built,
  { accountId, since = 0 }: Parameters<AuditStore['listEntries']>[0],
  before: string | null,
): Built {
  conditions.add('id >= ?', smallestIdAt('aud', since));
  if (before !== null) conditions.add('id < ?', before);
  if (accountId !== undefined) conditions.add('account_id = ?', accountId);
  return conditions;
}
