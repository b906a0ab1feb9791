import { auditDeliveries } from './audit-deliveries';
import { auditNotifications } from './audit-notifications';
import { auditOrders } from './audit-orders';
import { auditRepetitions } from './audit-repetitions';
import type { Diary } from './operation-log';
import type { Books } from './recorded-state';
import type { World } from './seed-data';

/**
 * Holds a database to what clients and receivers saw of the server, kill after kill. Pure.
 *
 * @returns What is wrong, a sentence each: nothing, when nothing was lost.
 */
export function audit(world: World, diary: Diary, books: Books): string[] {
  const faults = [...diary.faults];
  if (books.integrity !== 'ok') faults.push(`PRAGMA integrity_check says: ${books.integrity}`);
  if (books.brokenReferences.length > 0) {
    faults.push(`PRAGMA foreign_key_check finds ${JSON.stringify(books.brokenReferences)}.`);
  }
  return [
    ...faults,
    ...auditOrders(world, diary, books),
    ...auditNotifications(world, books),
    ...auditDeliveries(world, diary, books),
    ...auditRepetitions(diary, books),
  ];
}
