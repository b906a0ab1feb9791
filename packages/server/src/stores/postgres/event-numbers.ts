import type { LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { firstSequenceAt } from '@tradepost/domain/events/event';
import { logUpdate, numberUpdate } from '../records/tables';
import type { Transaction } from './database';
import { WriteSet } from './write-set';

/** How many entries of a log one transaction numbers at most. */
export const maxNumbered = 1_000;

/** An entry of an account's log with its number. */
interface NumberedEntry {
  accountId: string;
  eventId: string;
  seq: number | null;
}

/**
 * Numbers entries of accounts' logs that were committed since they were numbered last. All who do so take turns at the accounts'
 * rows in `event_logs`, and each sees what was committed before its turn. So later commits get higher numbers, a number is visible
 * only together with all lower ones, and a transaction that was rolled back leaves no gap.
 *
 * @returns The entries that it numbered; at most 1,000 of each log.
 */
export async function numberEntries(
  tx: Transaction,
  accountIds: Iterable<string>,
): Promise<NumberedEntry[]> {
  // In one order, so that those who number several logs never wait for each other in a circle.
  const sorted = [...new Set(accountIds)].sort();
  tx.send(
    `INSERT INTO event_logs (account_id, last_seq) SELECT id, 0 FROM unnest($1::text[]) AS id
     ON CONFLICT (account_id) DO NOTHING`,
    sorted,
  );
  const [logs, entries] = await Promise.all([
    tx.rows<{ accountId: string; lastSeq: number }>(
      `SELECT account_id AS "accountId", last_seq AS "lastSeq" FROM event_logs
       WHERE account_id = ANY ($1::text[]) ORDER BY account_id FOR UPDATE`,
      sorted,
    ),
    tx.rows<{ accountId: string; eventId: string; createdAt: number }>(
      `SELECT e.account_id AS "accountId", e.event_id AS "eventId", e.created_at AS "createdAt"
       FROM unnest($1::text[]) AS id CROSS JOIN LATERAL (
         SELECT * FROM account_events WHERE account_id = id AND seq IS NULL
         ORDER BY position LIMIT $2) AS e
       ORDER BY e.position`,
      sorted,
      maxNumbered,
    ),
  ]);
  if (entries.length === 0) return [];
  const last = new Map(logs.map(({ accountId, lastSeq }) => [accountId, lastSeq]));
  const numbered = entries.map(({ accountId, eventId, createdAt }) => {
    const seq = Math.max((last.get(accountId) ?? 0) + 1, firstSequenceAt(createdAt));
    last.set(accountId, seq);
    return { accountId, eventId, seq };
  });
  const writes = new WriteSet();
  writes.update(numberUpdate, numbered);
  writes.update(
    logUpdate,
    Array.from(last, ([accountId, lastSeq]) => ({ accountId, lastSeq })),
  );
  writes.send(tx);
  return numbered;
}

/** A leased delivery, and the account of its webhook. */
export interface NumberedDelivery extends Pick<LeasedDelivery, 'eventId' | 'sequence' | 'test'> {
  accountId: string;
}

/** Whether the event of a delivery is in a log, but has no number yet. */
export function isUnnumbered({ test, sequence }: NumberedDelivery): boolean {
  return !test && sequence === null;
}

/**
 * Gives deliveries the numbers that their events have in the logs of the webhooks' accounts, and numbers these logs first if need
 * be.
 *
 * @returns Whether a log has so many entries without a number that another transaction has to go on.
 */
export async function numberDeliveries(
  tx: Transaction,
  deliveries: NumberedDelivery[],
): Promise<boolean> {
  const unnumbered = deliveries.filter(isUnnumbered);
  if (unnumbered.length === 0) return false;
  const numbered = await numberEntries(
    tx,
    unnumbered.map(({ accountId }) => accountId),
  );
  setSequences(unnumbered, numbered);
  // Others have numbered them meanwhile.
  const others = unnumbered.filter(isUnnumbered);
  if (others.length === 0) return false;
  // Without a condition on `seq`: with one, the planner may read the account's whole log for each of them.
  const found = await tx.rows<NumberedEntry>(
    `SELECT e.account_id AS "accountId", e.event_id AS "eventId", e.seq
     FROM unnest($1::text[], $2::text[]) AS k (account_id, event_id)
     JOIN account_events AS e ON e.account_id = k.account_id AND e.event_id = k.event_id`,
    others.map(({ accountId }) => accountId),
    others.map(({ eventId }) => eventId),
  );
  setSequences(others, found);
  return numbered.length > 0 && others.some(isUnnumbered);
}

function setSequences(deliveries: NumberedDelivery[], entries: readonly NumberedEntry[]): void {
  const numbers = new Map(entries.map((one) => [`${one.accountId} ${one.eventId}`, one.seq]));
  for (const delivery of deliveries) {
    delivery.sequence = numbers.get(`${delivery.accountId} ${delivery.eventId}`) ?? null;
  }
}
